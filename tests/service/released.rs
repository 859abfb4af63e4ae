//! Clients go on working: nothing that the last released document promised is taken back, unless the version says so.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::conformance::DOCUMENT;

/// Which way a value goes: who sends it must not be asked for more, who gets it must not be given less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Sent,
    Got,
}

/// What a new document takes back of an old one.
struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    seen: BTreeSet<(String, String, Way)>,
    breaks: Vec<String>,
}

fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, seen: BTreeSet::new(), breaks: Vec::new() };
    comparison.operations();
    comparison.breaks
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn texts(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::String(text) => BTreeSet::from([text.as_str()]),
        _ => value.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    }
}

fn resolve<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(path) => root.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("{path} leads nowhere")),
        None => value,
    }
}

/// The members of a union by name, or the schema alone; and whether it may be null.
fn members<'a>(root: &'a Value, schema: &'a Value) -> (BTreeMap<String, &'a Value>, bool) {
    let schema = resolve(root, schema);
    let Some(list) = schema.get("oneOf").and_then(Value::as_array) else {
        let null = texts(&schema["type"]).contains("null");
        return (BTreeMap::from([(String::new(), schema)]), null);
    };
    let name = |member: &Value| member["$ref"].as_str().unwrap_or_default().to_owned();
    let own = list.iter().filter(|member| member["type"] != "null").collect::<Vec<_>>();
    let null = own.len() < list.len();
    match own.as_slice() {
        [one] => (members(root, one).0, null),
        several => (several.iter().map(|member| (name(member), *member)).collect(), null),
    }
}

impl Comparison<'_> {
    fn broken(&mut self, at: &str, what: &str) {
        self.breaks.push(format!("{at}: {what}"));
    }

    fn operations(&mut self) {
        let (old, new) = (self.old, self.new);
        for (path, item) in entries(&old["paths"]) {
            for (method, operation) in entries(item) {
                let at = format!("{} {path}", method.to_uppercase());
                match new["paths"][path].get(method) {
                    None => self.broken(&at, "the operation is gone"),
                    Some(now) => self.operation(&at, operation, now),
                }
            }
        }
    }

    fn operation(&mut self, at: &str, old: &Value, new: &Value) {
        if old["operationId"] != new["operationId"] {
            self.broken(at, "generated clients know it by another operationId");
        }
        self.parameters(at, &old["parameters"], &new["parameters"]);
        let (body, now) = (&old["requestBody"], &new["requestBody"]);
        if body["required"] != true && now["required"] == true {
            self.broken(at, "a body is required");
        }
        self.content(&format!("{at} body"), &body["content"], &now["content"], Way::Sent);
        for (status, response) in entries(&old["responses"]) {
            let Some(now) = new["responses"].get(status) else {
                if status.starts_with('2') {
                    self.broken(at, &format!("it never answers {status} any more"));
                }
                continue;
            };
            let (response, now) = (resolve(self.old, response).clone(), resolve(self.new, now).clone());
            for (header, _) in entries(&response["headers"]) {
                if now["headers"].get(header).is_none() {
                    self.broken(at, &format!("{status} comes without {header}"));
                }
            }
            self.content(&format!("{at} {status}"), &response["content"], &now["content"], Way::Got);
        }
    }

    fn parameters(&mut self, at: &str, old: &Value, new: &Value) {
        let named = |list: &Value| {
            let list = list.as_array().cloned().unwrap_or_default();
            let name = |parameter: &Value| format!("{} parameter {}", parameter["in"], parameter["name"]);
            list.into_iter().map(|parameter| (name(&parameter), parameter)).collect::<BTreeMap<_, _>>()
        };
        let (old, new) = (named(old), named(new));
        for (name, parameter) in &new {
            let was_required = old.get(name).is_some_and(|before| before["required"] == true);
            if parameter["required"] == true && !was_required {
                self.broken(at, &format!("the {name} is required"));
            }
        }
        for (name, parameter) in &old {
            match new.get(name) {
                None => self.broken(at, &format!("the {name} is gone")),
                Some(now) => self.schema(&format!("{at} {name}"), &parameter["schema"], &now["schema"], Way::Sent),
            }
        }
    }

    fn content(&mut self, at: &str, old: &Value, new: &Value, way: Way) {
        for (media_type, media) in entries(old) {
            match new.get(media_type) {
                None => self.broken(at, &format!("{media_type} is gone")),
                Some(now) => self.schema(at, &media["schema"], &now["schema"], way),
            }
        }
    }

    fn schema(&mut self, at: &str, old: &Value, new: &Value, way: Way) {
        if let (Some(before), Some(now)) = (old["$ref"].as_str(), new["$ref"].as_str())
            && !self.seen.insert((before.to_owned(), now.to_owned(), way))
        {
            return;
        }
        let ((olds, old_null), (news, new_null)) = (members(self.old, old), members(self.new, new));
        match way {
            Way::Sent if old_null && !new_null => self.broken(at, "it may not be null any more"),
            Way::Got if new_null && !old_null => self.broken(at, "it may be null"),
            _ => {}
        }
        for (name, member) in &olds {
            let now = news.get(name).or_else(|| news.values().next().filter(|_| olds.len() == 1 && news.len() == 1));
            match now {
                None => self.broken(at, &format!("a member of the union is gone: {name}")),
                Some(now) if name.is_empty() => self.plain(at, member, now, way),
                Some(now) => self.schema(at, member, now, way),
            }
        }
    }

    fn plain(&mut self, at: &str, old: &Value, new: &Value, way: Way) {
        let (old, new) = (resolve(self.old, old), resolve(self.new, new));
        let types = |schema: &Value| {
            let types = texts(&schema["type"]).into_iter().filter(|one| *one != "null");
            types.map(str::to_owned).collect::<BTreeSet<_>>()
        };
        if types(old) != types(new) {
            self.broken(at, "it is of another type");
        }
        let values = |schema: &Value| {
            let list = schema.get("enum").cloned().or_else(|| schema.get("const").map(|one| json!([one])));
            list.map(|list| texts(&list).into_iter().map(str::to_owned).collect::<BTreeSet<_>>())
        };
        match (values(old), values(new)) {
            (Some(before), Some(now)) => {
                let gone = before.difference(&now).cloned().collect::<Vec<_>>();
                gone.iter().for_each(|value| self.broken(at, &format!("{value} is gone")));
            }
            (None, Some(_)) if way == Way::Sent => self.broken(at, "only some values are allowed"),
            (Some(_), None) if way == Way::Got => self.broken(at, "it may be any value"),
            _ => {}
        }
        self.fields(at, old, new, way);
        if way == Way::Sent {
            self.limits(at, old, new);
        }
        if let (Some(before), Some(now)) = (old.get("items"), new.get("items")) {
            self.schema(&format!("{at}[]"), before, now, way);
        }
    }

    fn fields(&mut self, at: &str, old: &Value, new: &Value, way: Way) {
        let (before, now) = (texts(&old["required"]), texts(&new["required"]));
        match way {
            Way::Sent => {
                now.difference(&before).for_each(|name| self.broken(at, &format!("{name} is required")));
            }
            Way::Got => {
                before.difference(&now).for_each(|name| self.broken(at, &format!("{name} may be missing")));
            }
        }
        for (name, field) in entries(&old["properties"]) {
            match new["properties"].get(name) {
                None => self.broken(at, &format!("{name} is gone")),
                Some(now) => self.schema(&format!("{at}.{name}"), field, now, way),
            }
        }
    }

    fn limits(&mut self, at: &str, old: &Value, new: &Value) {
        let number = |schema: &Value, name: &str| schema.get(name).and_then(Value::as_i64);
        for name in ["minimum", "minLength", "minItems"] {
            if number(new, name).is_some_and(|now| number(old, name).is_none_or(|before| now > before)) {
                self.broken(at, &format!("its {name} has risen"));
            }
        }
        for name in ["maximum", "maxLength", "maxItems"] {
            if number(new, name).is_some_and(|now| number(old, name).is_none_or(|before| now < before)) {
                self.broken(at, &format!("its {name} has sunk"));
            }
        }
        if new.get("pattern").is_some() && new.get("pattern") != old.get("pattern") {
            self.broken(at, "its pattern is another");
        }
    }
}

/// Whether a version may break with another: by its first number, or by the second where the first is 0.
fn may_break(old: &str, new: &str) -> bool {
    let numbers = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    let (old, new) = (numbers(old), numbers(new));
    new[0] > old[0] || (old[0] == 0 && new[0] == 0 && new[1] > old[1])
}

#[test]
fn nothing_that_was_released_is_taken_back_unless_the_version_says_so() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/released.json");
    let released: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let version = |document: &Value| document["info"]["version"].as_str().unwrap().to_owned();
    let (before, now) = (version(&released), version(&DOCUMENT));
    if may_break(&before, &now) {
        return;
    }
    let breaks = breaks(&released, &DOCUMENT);
    assert!(breaks.is_empty(), "{now} takes back what {before} promised: {breaks:#?}");
}

#[test]
fn what_breaks_clients_is_seen() {
    assert_eq!(breaks(&DOCUMENT, &DOCUMENT), Vec::<String>::new());
    let schema = |name: &str, rest: &str| format!("/components/schemas/{name}{rest}");
    let get = |path: &str, rest: &str| format!("/paths/{}/get{rest}", path.replace('/', "~1"));
    let taken_out: [(String, &str, &str); 9] = [
        ("/paths".to_owned(), "/v1/rules", "the operation is gone"),
        (get("/v1/games/{id}/view", "/responses"), "200", "it never answers 200"),
        (get("/v1/games/{id}/view", "/responses/200/headers"), "ETag", "200 comes without ETag"),
        (get("/v1/games/{id}/events", "/responses/200/content"), "text/event-stream", "is gone"),
        (schema("View", "/properties"), "legal", "legal is gone"),
        (schema("MakeMove", "/properties"), "after", "after is gone"),
        (schema("Move", "/oneOf"), "0", "a member of the union is gone"),
        (schema("Status", "/enum"), "0", "open is gone"),
        (schema("View", "/required"), "0", "game may be missing"),
    ];
    for (place, name, why) in taken_out {
        let mut new = DOCUMENT.clone();
        match new.pointer_mut(&place) {
            Some(Value::Object(fields)) => drop(fields.remove(name).expect("it is there")),
            Some(Value::Array(items)) => drop(items.remove(name.parse().unwrap())),
            _ => panic!("{place} is not there"),
        }
        let breaks = breaks(&DOCUMENT, &new);
        assert!(breaks.iter().any(|one| one.contains(why)), "{place} {name}: {breaks:?}");
    }
    let written: [(String, Value, &str); 7] = [
        (schema("MakeMove", "/required"), json!(["move", "step"]), "step is required"),
        (schema("NewPlayer", "/properties/name/maxLength"), json!(20), "its maxLength has sunk"),
        (schema("NewPlayer", "/properties/password/type"), json!("string"), "not be null any more"),
        (schema("Player", "/properties/guest/type"), json!(["boolean", "null"]), "it may be null"),
        (schema("Player", "/properties/guest/type"), json!("string"), "another type"),
        (schema("Hash", "/pattern"), json!("^[0-9A-F]{64}$"), "its pattern is another"),
        (get("/v1/games", "/parameters/0/required"), json!(true), "is required"),
    ];
    for (place, value, why) in written {
        let mut new = DOCUMENT.clone();
        *new.pointer_mut(&place).unwrap_or_else(|| panic!("{place} is not there")) = value;
        let breaks = breaks(&DOCUMENT, &new);
        assert!(breaks.iter().any(|one| one.contains(why)), "{place}: {breaks:?}");
    }
}

#[test]
fn more_breaks_nobody() {
    let mut more = DOCUMENT.clone();
    more["paths"]["/v1/new"] = json!({ "get": { "operationId": "new", "responses": {} } });
    more["components"]["schemas"]["View"]["properties"]["new"] = json!({ "type": "string" });
    more["components"]["schemas"]["Kind"]["enum"].as_array_mut().unwrap().push(json!("new"));
    more["components"]["schemas"]["MakeMove"]["properties"]["new"] = json!({ "type": "string" });
    assert_eq!(breaks(&DOCUMENT, &more), Vec::<String>::new());
}

#[test]
fn a_version_says_whether_it_breaks() {
    for (old, new, breaks) in [
        ("0.1.0", "0.1.1", false),
        ("0.1.0", "0.2.0", true),
        ("0.9.0", "1.0.0", true),
        ("1.2.3", "1.3.0", false),
        ("1.9.0", "2.0.0", true),
    ] {
        assert_eq!(may_break(old, new), breaks, "{old} {new}");
    }
}
