//! One run of the load.

use serde_json::Value;

use super::house::{House, Instance, output};
use super::{Bench, BenchError};

/// What to run; the rest has the load's defaults.
pub struct Run<'a> {
    /// More arguments.
    arguments: Vec<String>,
    house: &'a House<'a>,
    instances: &'a [Instance],
}

/// What a load has shown: its report.
pub struct Shown(Value);

/// Spite & Malice as its rules propose it.
const DEFAULTS: &str = "{}";

impl<'a> Run<'a> {
    /// Against these instances.
    pub fn new(bench: &Bench, house: &'a House<'a>, instances: &'a [Instance]) -> Self {
        let run = Self { arguments: Vec::new(), house, instances };
        run.with("--games", bench.games).with("--seconds", bench.seconds)
    }

    /// With one more argument; the last of a name counts.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.arguments.retain(|argument| !argument.starts_with(&format!("{name}=")));
        self.arguments.push(format!("{name}={}", value.to_string()));
        self
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// When it fails, or a promise was not kept.
    pub fn run(self) -> Result<Shown, BenchError> {
        let mut command = self.house.command();
        command.args(["load", "--kind=spite_and_malice", "--json", "--quiet"]);
        let addresses: Vec<&str> = self.instances.iter().map(|instance| instance.address.as_str()).collect();
        let named = |name: &str| self.arguments.iter().any(|argument| argument.starts_with(name));
        if !named("--options=") {
            command.arg(format!("--options={DEFAULTS}"));
        }
        if !named("--address=") {
            command.arg(format!("--address={}", addresses.join(",")));
        }
        for (number, instance) in self.instances.iter().enumerate() {
            command.arg(format!("--process=service-{number}={}", instance.pid()));
        }
        command.arg(format!("--process=postgres={}", self.house.postmaster())).args(&self.arguments);
        let report = output(command, "croupier load")?;
        serde_json::from_str(&report).map(Shown).map_err(|error| BenchError::Failed(error.to_string()))
    }
}

impl Shown {
    /// A number in the report, by its path, like `/latency_ms/p99`; 0 where there is none.
    pub fn number(&self, path: &str) -> f64 {
        self.0.pointer(path).and_then(Value::as_f64).unwrap_or_default()
    }

    /// Acknowledged moves a second.
    pub fn moves(&self) -> f64 {
        self.number("/moves_per_second")
    }

    /// Numbers in the report.
    pub fn numbers(&self, path: &str) -> Vec<f64> {
        let list = self.0.pointer(path).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    /// The sum of a figure over all processes whose name begins like this.
    pub fn process(&self, name: &str, figure: &str) -> f64 {
        let all = self.0.get("processes").and_then(Value::as_array).into_iter().flatten();
        let named = all.filter(|process| process["name"].as_str().is_some_and(|found| found.starts_with(name)));
        named.filter_map(|process| process[figure].as_f64()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;
    use serde_json::json;

    #[test]
    fn figures_are_found() {
        let shown = Shown(json!({"moves_per_second": 12.0, "timeline": [1, 2], "processes": [
            {"name": "service-0", "cores": 0.5}, {"name": "service-1", "cores": 0.25}, {"name": "load", "cores": 2.0}]}));
        assert_eq!(shown.moves(), 12.0);
        assert_eq!(shown.numbers("/timeline"), [1.0, 2.0]);
        assert_eq!(shown.process("service", "cores"), 0.75);
        assert_eq!((shown.number("/watchers/missing"), shown.process("none", "cores")), (0.0, 0.0));
    }
}
