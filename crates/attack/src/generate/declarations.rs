//! Types, globals, local declarations and their initialisers.

use super::types::{Field, INTS, Int, Record, Ty, declare};
use super::{Generator, Mode, Node, Var};

const ENVIRONMENT: &str = "\
extern int printf(const char *, ...);
extern int putchar(int);
extern int puts(const char *);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
extern unsigned long strlen(const char *);
extern int strcmp(const char *, const char *);
extern int strncmp(const char *, const char *, unsigned long);
extern char *strcpy(char *, const char *);
extern char *strncpy(char *, const char *, unsigned long);
extern char *strcat(char *, const char *);
extern char *strchr(const char *, int);
extern void abort(void);
extern void exit(int);
extern void reach_error(void);
extern void __VERIFIER_assume(int);";

impl Generator {
    pub(crate) fn environment(&mut self) {
        self.leaf(ENVIRONMENT);
        for (name, _, _, suffix) in INTS {
            if name != "signed char" {
                self.leaf(format!("extern {name} __VERIFIER_nondet_{suffix}(void);"));
            }
        }
        self.leaf("static unsigned long sum$ = 14695981039346656037ul;");
        self.leaf(
            "static void mix$(unsigned long v)\n{\n  sum$ = (sum$ ^ v) * 1099511628211ul;\n  sum$ ^= sum$ >> 29;\n}",
        );
    }

    /// Enumerations, typedefs, structs, unions.
    pub(crate) fn types(&mut self) {
        self.ints = INTS.iter().map(|&(name, bits, signed, _)| Int::new(name, bits, signed)).collect();
        for _ in 0..self.rng.below(3) {
            self.enumeration();
        }
        for _ in 0..self.rng.below(3) {
            let int = self.rng.pick(&self.ints).clone();
            let name = self.fresh("t") + "$";
            self.leaf(format!("typedef {} {name};", int.name));
            self.ints.push(Int { name, ..int });
        }
        for _ in 0..self.rng.below(4) {
            self.structure();
        }
        if self.rng.percent(50) {
            self.union();
        }
    }

    fn enumeration(&mut self) {
        let tag = self.fresh("enum e") + "$";
        let negative = self.rng.percent(50);
        let mut items = Vec::new();
        for i in 0..self.rng.range(2, 5) {
            let name = self.fresh("E") + "$";
            let value = match self.rng.below(3) {
                0 if negative && i == 0 => format!(" = -{}", self.rng.range(1, 200)),
                1 => format!(" = {}", self.rng.below(1000)),
                _ => String::new(),
            };
            items.push(format!("{name}{value}"));
            self.enumerators.push(name);
        }
        let signed = items.iter().any(|i| i.contains('-'));
        self.leaf(format!("{tag} {{ {} }};", items.join(", ")));
        self.ints.push(Int::new(&tag, 32, signed));
    }

    fn simple_type(&mut self, depth: usize) -> Ty {
        match self.rng.below(8) {
            0 | 1 if depth > 0 => {
                let n = self.rng.range(1, 5);
                Ty::Array(Box::new(self.simple_type(depth - 1)), n)
            }
            2 if depth > 0 && !self.named_records().is_empty() => {
                let records = self.named_records();
                Ty::Record(*self.rng.pick(&records))
            }
            _ => Ty::Int(self.rng.pick(&self.ints).clone()),
        }
    }

    /// The records with a tag: all but anonymous members.
    pub(crate) fn named_records(&self) -> Vec<usize> {
        (0..self.records.len()).filter(|&r| !self.records[r].tag.contains('{')).collect()
    }

    fn structure(&mut self) {
        let mut fields = Vec::new();
        for _ in 0..self.rng.range(1, 5) {
            let name = self.fresh("f");
            if self.rng.percent(25) {
                let (ty, bits, signed, _) = INTS[*self.rng.pick(&[0, 3, 5, 6, 6, 7, 7, 8, 9])];
                // Between 33 and 63 bits the width would be that of gcc's arithmetic.
                let width = self.rng.range(1, bits as usize) as u32;
                fields.push(Field { name, ty: Ty::int(ty, bits, signed), width: Some(width) });
            } else {
                fields.push(Field { name, ty: self.simple_type(2), width: None });
            }
        }
        if self.rng.percent(20) {
            let inner = self.same_size_members(true);
            let text = self.members(&inner);
            self.records.push(Record { tag: format!("union {{ {text} }}"), union: true, fields: inner });
            let ty = Ty::Record(self.records.len() - 1);
            fields.push(Field { name: String::new(), ty, width: None });
        }
        self.define("struct", fields);
    }

    fn define(&mut self, keyword: &str, fields: Vec<Field>) {
        let tag = format!("{keyword} {}$", self.fresh("s"));
        let members = self.members(&fields);
        self.leaf(format!("{tag} {{ {members} }};"));
        self.records.push(Record { tag, union: keyword == "union", fields });
    }

    fn members(&self, fields: &[Field]) -> String {
        let member = |f: &Field| {
            let width = f.width.map_or(String::new(), |w| format!(" : {w}"));
            format!("{}{width};", declare(&f.ty, &f.name, &self.records))
        };
        fields.iter().map(member).collect::<Vec<_>>().join(" ")
    }

    /// Members of eight bytes each, without padding.
    fn same_size_members(&mut self, plain: bool) -> Vec<Field> {
        let mut types = vec![
            Ty::int("unsigned long", 64, false),
            Ty::int("long long", 64, true),
            Ty::Array(Box::new(Ty::int("int", 32, true)), 2),
            Ty::Array(Box::new(Ty::int("unsigned short", 16, false)), 4),
            Ty::Array(Box::new(Ty::int("unsigned char", 8, false)), 8),
            Ty::Array(Box::new(Ty::Array(Box::new(Ty::int("char", 8, true)), 4)), 2),
        ];
        if !plain {
            let field = |name: &str, ty: Ty, width| Field { name: name.to_owned(), ty, width };
            let int = Ty::int("int", 32, true);
            let unsigned = Ty::int("unsigned int", 32, false);
            let short = Ty::int("short", 16, true);
            let first = vec![field("a", short.clone(), None), field("b", short, None), field("c", int.clone(), None)];
            let bits = vec![
                field("p", unsigned.clone(), Some(5)),
                field("q", int.clone(), Some(11)),
                field("r", unsigned.clone(), Some(16)),
                field("s", unsigned, Some(31)),
                field("t", int, Some(1)),
            ];
            for fields in [first, bits] {
                self.define("struct", fields);
                types.push(Ty::Record(self.records.len() - 1));
            }
        }
        let mut fields = Vec::new();
        for _ in 0..self.rng.range(2, 4) {
            let ty = types.remove(self.rng.below(types.len()));
            fields.push(Field { name: self.fresh("u"), ty, width: None });
        }
        fields
    }

    fn union(&mut self) {
        let fields = self.same_size_members(false);
        self.define("union", fields);
    }

    pub(crate) fn globals(&mut self) {
        for _ in 0..self.rng.range(2, 7) {
            let ty =
                if self.rng.percent(40) { Ty::Int(self.rng.pick(&self.ints).clone()) } else { self.simple_type(3) };
            self.global(ty);
        }
        if self.rng.percent(60) {
            self.pointer_record();
        }
        for _ in 0..self.rng.below(4) {
            if let Some(ty) = self.pointer_type() {
                self.global(ty);
            }
        }
        for _ in 0..self.rng.below(3) {
            let (name, n) = (self.fresh("buf") + "$", self.rng.range(8, 20));
            let text = self.word();
            self.leaf(format!("static char {name}[{n}] = \"{text}\";"));
            self.buffers.push((name, n));
        }
    }

    fn global(&mut self, ty: Ty) {
        let name = self.fresh("g") + "$";
        let init = match self.rng.percent(85) || self.has_pointer(&ty) {
            true => format!(" = {}", self.initialiser(&ty, true)),
            false => String::new(),
        };
        let constant = self.rng.percent(10) && !self.has_pointer(&ty);
        let qualifier = if constant { "static const" } else { "static" };
        self.leaf(format!("{qualifier} {}{init};", declare(&ty, &name, &self.records)));
        self.vars.push(Var { name, ty, depth: 0, shared: true, constant });
    }

    /// A pointer type that some global can be pointed to by.
    pub(crate) fn pointer_type(&mut self) -> Option<Ty> {
        let globals: Vec<Var> = self.vars.iter().filter(|v| v.depth == 0 && !v.constant && v.shared).cloned().collect();
        if globals.is_empty() {
            return None;
        }
        match self.rng.pick(&globals).ty.clone() {
            Ty::Array(element, n) => {
                if *element == Ty::Callback {
                    return None;
                }
                let n = self.rng.range(1, n);
                Some(Ty::Pointer(element, n))
            }
            Ty::Callback => None,
            ty => Some(Ty::Pointer(Box::new(ty), 1)),
        }
    }

    fn pointer_record(&mut self) {
        let mut fields = vec![Field { name: self.fresh("f"), ty: self.simple_type(1), width: None }];
        for _ in 0..self.rng.range(1, 2) {
            if let Some(ty) = self.pointer_type() {
                fields.push(Field { name: self.fresh("f"), ty, width: None });
            }
        }
        self.define("struct", fields);
        let ty = Ty::Record(self.records.len() - 1);
        let ty = if self.rng.percent(50) { Ty::Array(Box::new(ty), self.rng.range(1, 3)) } else { ty };
        self.global(ty);
    }

    pub(crate) fn has_pointer(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int(_) => false,
            Ty::Record(r) => self.records[*r].fields.iter().any(|f| self.has_pointer(&f.ty)),
            Ty::Array(element, _) => self.has_pointer(element),
            Ty::Pointer(..) | Ty::Callback => true,
        }
    }

    /// A function-pointer table, and a pointer.
    pub(crate) fn tables(&mut self) {
        if self.callbacks.is_empty() {
            return;
        }
        let n = self.rng.range(1, 4);
        let items: Vec<String> = (0..n).map(|_| self.callback()).collect();
        let name = self.fresh("table") + "$";
        self.leaf(format!("static callback$ {name}[{n}] = {{ {} }};", items.join(", ")));
        let ty = Ty::Array(Box::new(Ty::Callback), n);
        self.vars.push(Var { name, ty, depth: 0, shared: true, constant: true });
        let (name, value) = (self.fresh("hook") + "$", self.callback());
        self.leaf(format!("static int (*{name})(int, long) = {value};"));
        self.vars.push(Var { name, ty: Ty::Callback, depth: 0, shared: true, constant: false });
    }

    pub(crate) fn initialiser(&mut self, ty: &Ty, constant: bool) -> String {
        match ty {
            Ty::Int(_) if constant => self.literal().at(2),
            Ty::Int(_) => self.scalar(false).at(2),
            Ty::Array(element, n) => self.array_initialiser(element, *n, constant),
            Ty::Record(r) => self.record_initialiser(*r, constant),
            Ty::Callback => self.callback(),
            Ty::Pointer(element, n) => {
                let address = match constant {
                    true => self.constant_address(element, *n),
                    false => self.address(element, *n, 0),
                };
                address.expect("pointer types are made from globals")
            }
        }
    }

    fn array_initialiser(&mut self, element: &Ty, n: usize, constant: bool) -> String {
        let full = self.has_pointer(element);
        let count = if full { n } else { self.rng.range(1, n) };
        let mut items = Vec::new();
        for i in 0..count {
            let value = self.initialiser(element, constant);
            items.push(match self.rng.below(12) {
                0 if !full => format!("[{}] = {value}", self.rng.below(n - count + i + 1)),
                // An element given twice by a range and again would be evaluated an unknown number of times.
                1 if constant && !full => format!("[{} ... {}] = {value}", i.min(1), n - count + i),
                _ => value,
            });
        }
        // Designators may move back: then the rest must still fit.
        if items.iter().any(|i| i.starts_with('[')) {
            items.retain(|i| i.starts_with('['));
            if !constant {
                items.truncate(1);
            }
        }
        format!("{{ {} }}", items.join(", "))
    }

    fn record_initialiser(&mut self, record: usize, constant: bool) -> String {
        let fields = self.records[record].fields.clone();
        if self.records[record].union {
            let field = if self.rng.percent(50) { &fields[0] } else { self.rng.pick(&fields) };
            let value = self.initialiser(&field.ty, constant);
            return format!("{{ .{} = {value} }}", field.name);
        }
        let full = fields.iter().any(|f| self.has_pointer(&f.ty));
        let count = if full { fields.len() } else { self.rng.range(1, fields.len()) };
        let designated = self.rng.percent(40);
        let mut items = Vec::new();
        for field in &fields[..count] {
            if field.name.is_empty() && designated {
                continue;
            }
            let value = self.initialiser(&field.ty, constant);
            items.push(if designated { format!(".{} = {value}", field.name) } else { value });
        }
        if designated && items.len() > 1 && self.rng.percent(50) {
            items.reverse();
        }
        if items.is_empty() {
            items.push("0".to_owned());
        }
        format!("{{ {} }}", items.join(", "))
    }

    /// A local variable, initialised.
    pub(crate) fn local(&mut self) -> Node {
        let ty = match self.rng.below(10) {
            0 => self.pointer_type().unwrap_or_else(|| self.simple_type(0)),
            1 if !self.callbacks.is_empty() => Ty::Callback,
            2..=4 => self.simple_type(2),
            _ => self.simple_type(0),
        };
        let is_static = self.mode == Mode::Free && self.depth == 1 && self.rng.percent(12);
        let here: Vec<&str> = self.vars.iter().filter(|v| v.depth >= self.depth).map(|v| v.name.as_str()).collect();
        let hidable = |v: &&Var| v.depth > 0 && !here.contains(&v.name.as_str());
        let outer: Vec<String> = self.vars.iter().filter(hidable).map(|v| v.name.clone()).collect();
        let shadow = !outer.is_empty() && self.rng.percent(15);
        let constant_init = is_static || shadow || self.has_pointer(&ty);
        let value = match &ty {
            Ty::Int(_) if !constant_init => self.pure(2, false).at(2),
            _ => self.initialiser(&ty, constant_init),
        };
        let name = if shadow { self.rng.pick(&outer).clone() } else { self.fresh("v") };
        let shared = is_static || self.rng.percent(40);
        let qualifier = if is_static { "static " } else { "" };
        let node = Node::leaf(format!("{qualifier}{} = {value};", declare(&ty, &name, &self.records)));
        let depth = if is_static { 0 } else { self.depth };
        self.vars.push(Var { name, ty, depth, shared, constant: false });
        node
    }
}
