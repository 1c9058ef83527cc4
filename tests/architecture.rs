//! The house is as CONTRIBUTING says: imports go downwards, a CPU function enables no
//! feature that its list does not ask for, and safety comments name a condition.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Expr, Item, UseTree};

/// The modules of the crate's root, from the ground up. Each may import those before it.
const LAYERS: &[&str] = &[
    "block",
    "barrier",
    "stores",
    "cpu",
    "rounds",
    "trace",
    "lanes",
    "recompress",
    "arch",
    "compress",
    "hasher",
    "many",
    "detect",
    "batch",
    "sha1",
    "capi",
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn source_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

type Module = Vec<String>;

/// All modules but the root, by their paths: `["arch", "x86", "sha"]`.
fn modules() -> BTreeMap<Module, syn::File> {
    let src = src();
    let files = source_files(&src).into_iter().filter(|file| file.file_name().unwrap() != "lib.rs");
    let modules: BTreeMap<Module, syn::File> = files
        .map(|file| {
            let path = file.strip_prefix(&src).unwrap().with_extension("");
            let path = path.iter().map(|part| part.to_str().unwrap().to_string()).collect();
            (path, syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap())
        })
        .collect();
    assert!(modules.len() > 30, "{:?}", modules.keys());
    modules
}

/// All paths in a module, those of `use` trees included.
#[derive(Default)]
struct Paths {
    paths: Vec<Vec<String>>,
    /// How many modules inside of the file are around the present place.
    depth: usize,
}

impl Paths {
    fn add(&mut self, mut path: Vec<String>) {
        let up = path.iter().take_while(|part| *part == "super").count();
        path.drain(..up.min(self.depth));
        self.paths.push(path);
    }

    fn of_tree(&mut self, mut before: Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.of_tree(before, &path.tree);
            }
            UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.add(before);
            }
            UseTree::Rename(name) => {
                before.push(name.ident.to_string());
                self.add(before);
            }
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.of_tree(before.clone(), tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.of_tree(Vec::new(), &item.tree);
    }
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The module of ours that a path in `from` leads to, if it names one.
fn resolve(from: &Module, path: &[String], modules: &BTreeMap<Module, syn::File>) -> Option<Module> {
    let mut absolute: Module = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "super" => from[..from.len() - 1].to_vec(),
        "self" => from.clone(),
        // A module that is declared here, or one that an import has brought by its name.
        first => {
            let child = [&from[..], &[first.to_string()]].concat();
            if !modules.contains_key(&child) {
                return None;
            }
            from.clone()
        }
    };
    let skip = usize::from(matches!(path[0].as_str(), "crate" | "super" | "self"));
    for part in &path[skip..] {
        match part.as_str() {
            "super" => drop(absolute.pop()),
            _ => absolute.push(part.clone()),
        }
    }
    while !absolute.is_empty() && !modules.contains_key(&absolute) {
        absolute.pop();
    }
    (!absolute.is_empty()).then_some(absolute)
}

fn imports(modules: &BTreeMap<Module, syn::File>) -> BTreeMap<&Module, BTreeSet<Module>> {
    let imports = modules.iter().map(|(module, file)| {
        let mut paths = Paths::default();
        paths.visit_file(file);
        let targets = paths.paths.iter().filter_map(|path| resolve(module, path, modules));
        (module, targets.filter(|target| target != module).collect())
    });
    imports.collect()
}

#[test]
fn imports_go_downwards() {
    let modules = modules();
    let imports = imports(&modules);
    let layer = |module: &Module| {
        LAYERS
            .iter()
            .position(|layer| *layer == module[0])
            .unwrap_or_else(|| panic!("{module:?} has no layer"))
    };
    let mut count = 0;
    for (module, targets) in &imports {
        for target in targets {
            let (from, to) = (module.join("::"), target.join("::"));
            assert!(layer(target) <= layer(module), "{from} imports {to}, which is above it");
            count += 1;
        }
    }
    assert!(count > 100, "only {count} imports were found");

    // Within a layer: who imports nothing that is left goes first, until nobody is left.
    let mut left: BTreeSet<&Module> = modules.keys().collect();
    while !left.is_empty() {
        let free: Vec<_> = left
            .iter()
            .copied()
            .filter(|module| !imports[module].iter().any(|to| left.contains(to)))
            .collect();
        let circle: Vec<_> = left.iter().map(|module| module.join("::")).collect();
        assert!(!free.is_empty(), "there is a circle among {circle:?}");
        free.iter().for_each(|module| assert!(left.remove(module)));
    }
}

/// A resolver that finds nothing would be content with everything.
#[test]
fn imports_are_found() {
    let modules = modules();
    let module = |path: &str| path.split("::").map(String::from).collect::<Module>();
    let imports = imports(&modules);
    let finds = |from: &str, to: &str| imports[&module(from)].contains(&module(to));
    assert!(finds("arch::x86::sha::streams", "arch::x86::sha::schedule"), "by super");
    assert!(finds("arch::x86::avx512", "arch::x86::avx2"), "by a path in an expression");
    assert!(finds("detect", "detect::conditions"), "by the name of a child");
    assert!(finds("detect::x86::avx512", "arch::x86::sha::trace"), "by crate");
    assert!(!finds("arch::x86::sha::schedule", "arch::x86::sha::streams"));
}

/// The CPU features that stand for each `cpu::Feature`, by its name in lower case.
fn features(cpu: &syn::File) -> BTreeMap<String, BTreeSet<String>> {
    let macros = cpu.items.iter().filter_map(|item| match item {
        Item::Macro(item) if item.mac.path.segments.last()?.ident == "new" => Some(&item.mac.tokens),
        _ => None,
    });
    let features = macros.map(|tokens| {
        let mut parts = tokens.to_string();
        parts.retain(|c| !c.is_whitespace() && c != '"');
        let mut parts = parts.split(',').map(String::from);
        (parts.next().unwrap(), parts.collect())
    });
    features.collect()
}

/// What a function enables for itself.
fn enabled(function: &syn::ItemFn) -> BTreeSet<String> {
    let mut enabled = BTreeSet::new();
    for attribute in &function.attrs {
        if attribute.path().is_ident("target_feature") {
            let parsed = attribute.parse_nested_meta(|meta| {
                let list: syn::LitStr = meta.value()?.parse()?;
                enabled.extend(list.value().split(',').map(String::from));
                Ok(())
            });
            parsed.unwrap();
        }
    }
    enabled
}

/// The entries of the lists: what each needs, and the functions that it names.
#[derive(Default)]
struct Entries(Vec<(Vec<String>, Vec<Vec<String>>)>);

fn last_parts(expr: &Expr) -> Vec<String> {
    let mut paths = Paths::default();
    paths.visit_expr(expr);
    paths.paths.into_iter().filter_map(|mut path| path.pop()).collect()
}

impl<'ast> Visit<'ast> for Entries {
    fn visit_expr_struct(&mut self, entry: &'ast syn::ExprStruct) {
        let mut needs = None;
        let mut functions = Paths::default();
        for field in &entry.fields {
            match &field.member {
                syn::Member::Named(name) if name == "needs" => needs = Some(last_parts(&field.expr)),
                syn::Member::Named(name) if name == "width" => {}
                _ => functions.visit_expr(&field.expr),
            }
        }
        if let Some(needs) = needs {
            self.0.push((needs, functions.paths));
        }
    }
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name: Vec<String> = last_parts(&call.func);
        if name == ["new"] && call.args.len() == 4 {
            let mut functions = Paths::default();
            functions.visit_expr(&call.args[3]);
            self.0.push((last_parts(&call.args[0]), functions.paths));
        }
        visit::visit_expr_call(self, call);
    }
}

/// The name in `cpufeatures::new!` that stands for a `cpu::Feature`.
fn macro_of(feature: &str) -> &'static str {
    match feature {
        "Ssse3" => "ssse3",
        "Avx2" => "avx2",
        "Avx2Bmi" => "avx2bmi",
        "Sha" | "ShaSchedule" => "sha",
        "Avx512Vl" => "avx512vl",
        "Avx512Bw" => "avx512bw",
        "Avx512Vbmi" => "avx512vbmi",
        "Sha2" => "sha2",
        other => panic!("what stands for {other}?"),
    }
}

#[test]
fn functions_enable_what_their_lists_ask_for() {
    let modules = modules();
    let features = features(&modules[&vec!["cpu".to_string()]]);
    assert!(features["sha"].contains("ssse3") && features.len() >= 7, "{features:?}");
    let mut checked = 0;
    for (list, below) in [("compress", "arch"), ("detect", "detect")] {
        let mut entries = Entries::default();
        entries.visit_file(&modules[&vec![list.to_string()]]);
        for (needs, functions) in entries.0 {
            let granted: BTreeSet<&String> =
                needs.iter().flat_map(|need| &features[macro_of(need)]).collect();
            for path in functions {
                let Some((name, place)) = path.split_last().filter(|(_, place)| !place.is_empty()) else {
                    continue;
                };
                let found: Vec<_> = modules
                    .iter()
                    .filter(|(module, _)| module[0] == below && module.ends_with(place))
                    .flat_map(|(module, file)| file.items.iter().map(move |item| (module, item)))
                    .filter_map(|(module, item)| match item {
                        Item::Fn(function) if function.sig.ident == name => Some((module, function)),
                        _ => None,
                    })
                    .collect();
                assert!(!found.is_empty(), "{path:?} is no function");
                for (module, function) in found {
                    // NEON is part of every AArch64, and SSE2 of the targets that its entry is for.
                    let extra: Vec<_> = enabled(function)
                        .into_iter()
                        .filter(|feature| {
                            !granted.contains(feature) && feature != "neon" && feature != "sse2"
                        })
                        .collect();
                    assert!(extra.is_empty(), "{module:?}::{name} enables {extra:?}, its list has {needs:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 20, "only {checked} functions were found");
}

/// A safety comment that points elsewhere tells a reviewer nothing.
#[test]
fn safety_comments_name_their_condition() {
    let mut found = 0;
    for file in source_files(&src()) {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let Some((_, reason)) = line.split_once("// SAFETY: ") else { continue };
            found += 1;
            let vague = ["see above", "as above", "as before", "the caller's contract", "likewise"];
            assert!(
                !vague.iter().any(|vague| reason.starts_with(vague)) && reason.len() > 12,
                "{}:{}: {reason}",
                file.display(),
                number + 1
            );
        }
    }
    assert!(found > 100, "only {found} safety comments were found");
}
