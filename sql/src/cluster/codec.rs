//! Scans and functions of games as bytes in a plan.
//!
//! A word that no message of Ballista begins with, and JSON.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::{
    error::{DataFusionError, Result},
    execution::TaskContext,
    logical_expr::ScalarUDF,
    physical_plan::ExecutionPlan,
};
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tabiya::Query;

use super::failure::marking;
use crate::{
    of_games,
    scan::ChessScan,
    source::{Named, OpenDatabases, Origin, Source, reads_no_files},
    wanted::ScanRequest,
};

/// Not a message of protocol buffers: `t` would end a group that was never begun.
const MAGIC: &[u8] = b"tabiya-sql 1\n";

/// Reads and writes our parts of plans, and leaves the others to Ballista.
#[derive(Debug, Default)]
pub(crate) struct PlanCodec {
    ballista: BallistaPhysicalExtensionCodec,
    /// What the databases of decoded plans are opened from.
    open_databases: Arc<OpenDatabases>,
    /// The process that decodes plans, as errors name it.
    place: Option<String>,
}

/// A [`ChessScan`], but for its input.
#[derive(Serialize, Deserialize)]
struct Scan {
    wanted: ScanRequest,
    columns: Vec<String>,
    sources: Vec<NamedSource>,
}

#[derive(Serialize, Deserialize)]
struct NamedSource {
    database: Named,
    /// All must hold. Several, as each stays within the limits of a query.
    queries: Vec<String>,
}

impl PlanCodec {
    /// Creates a codec whose decoded plans read the open databases of a process.
    pub(crate) fn new(open_databases: Arc<OpenDatabases>, place: String) -> PlanCodec {
        PlanCodec {
            ballista: BallistaPhysicalExtensionCodec::default(),
            open_databases,
            place: Some(place),
        }
    }

    fn decoded(&self, scan: Scan, inputs: &[Arc<dyn ExecutionPlan>]) -> Result<ChessScan> {
        let [parts] = inputs else {
            return Err(invalid("a scan has one input"));
        };
        let schema = scan.wanted.schema();
        let place = |name: &String| schema.index_of(name);
        let places = scan
            .columns
            .iter()
            .map(place)
            .collect::<Result<Vec<_>, _>>()?;
        let schema = Arc::new(schema.project(&places)?);
        let sources = scan.sources.into_iter().map(|source| self.source(source));
        let sources = sources.collect::<Result<_>>()?;
        let parts = Arc::clone(parts);
        Ok(ChessScan::of_parts(scan.wanted, schema, sources, parts))
    }

    fn source(&self, named: NamedSource) -> Result<Source> {
        let parse = |text: &String| {
            let fault = |fault| invalid(&format!("query `{text}`: {fault}"));
            let query = text.parse::<Query>().map_err(fault)?;
            reads_no_files(&query).map(|()| query)
        };
        let mut queries = named
            .queries
            .iter()
            .map(parse)
            .collect::<Result<Vec<_>>>()?;
        let query = match queries.len() {
            1 => queries.remove(0),
            _ => Query::And(queries),
        };
        let origin = Origin::Named(named.database, Arc::clone(&self.open_databases));
        Ok(Source { origin, query })
    }
}

fn named(source: &Source) -> Result<NamedSource> {
    reads_no_files(&source.query)?;
    let queries = match &source.query {
        Query::And(queries) => queries.iter().map(Query::to_string).collect(),
        query => vec![query.to_string()],
    };
    Ok(NamedSource {
        database: source.origin.named()?,
        queries,
    })
}

fn invalid(what: &str) -> DataFusionError {
    DataFusionError::Plan(format!("the plan is invalid: {what}"))
}

fn write(value: &impl Serialize, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.extend_from_slice(MAGIC);
    let fault = |fault: serde_json::Error| DataFusionError::External(Box::new(fault));
    serde_json::to_writer(bytes, value).map_err(fault)
}

/// Returns what was written; `None` if the bytes are not ours.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<Result<T>> {
    let text = bytes.strip_prefix(MAGIC)?;
    Some(serde_json::from_slice(text).map_err(|fault| invalid(&fault.to_string())))
}

impl PhysicalExtensionCodec for PlanCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(scan) = read::<Scan>(bytes) else {
            return self.ballista.try_decode(bytes, inputs, context, converter);
        };
        let scan = scan.and_then(|scan| self.decoded(scan, inputs));
        Ok(Arc::new(marking(scan, self.place.as_deref())?))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(scan) = node.downcast_ref::<ChessScan>() else {
            return self.ballista.try_encode(node, bytes, converter);
        };
        let schema = scan.schema();
        let columns = schema.fields().iter();
        let scan = Scan {
            wanted: scan.wanted.clone(),
            columns: columns.map(|field| field.name().clone()).collect(),
            sources: marking(scan.sources.iter().map(named).collect(), None)?,
        };
        write(&scan, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        let Some(origins) = of_games::origins(function) else {
            return self.ballista.try_encode_udf(function, bytes);
        };
        let named = origins.iter().map(Origin::named);
        write(&marking(named.collect::<Result<Vec<_>>>(), None)?, bytes)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        let origins = || {
            let databases: Vec<Named> =
                read(bytes).unwrap_or_else(|| Err(invalid("a function without databases")))?;
            let open_databases = &self.open_databases;
            let named = |database| Origin::Named(database, Arc::clone(open_databases));
            Ok(databases.into_iter().map(named).collect())
        };
        match of_games::listed(name, origins) {
            Some(function) => function.map(Arc::new),
            None => self.ballista.try_decode_udf(name, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use datafusion_proto::physical_plan::DefaultPhysicalProtoConverter;

    use super::*;
    use crate::{base::Base, plies::Plies, tables::Table};

    fn scan(query: &str) -> ChessScan {
        let base = Base::open(Path::new("../fixtures/famous.si4")).unwrap();
        let source = Source {
            origin: Origin::Open(base),
            query: query.parse().unwrap(),
        };
        let schema = Arc::new(Table::Games.schema().project(&[1, 2]).unwrap());
        let table = Table::Games;
        let wanted = ScanRequest::Rows {
            table,
            limit: Some(7),
            has_place: false,
            plies: Plies::ALL,
        };
        ChessScan::new(wanted, schema, [source].into(), 3).unwrap()
    }

    fn decoded(bytes: &[u8], scan: &ChessScan) -> Result<Arc<dyn ExecutionPlan>> {
        let inputs: Vec<_> = scan.children().into_iter().cloned().collect();
        let converter = DefaultPhysicalProtoConverter {};
        PlanCodec::default().try_decode(bytes, &inputs, &TaskContext::default(), &converter)
    }

    fn encoded(scan: &ChessScan) -> Vec<u8> {
        let mut bytes = Vec::new();
        let node: Arc<dyn ExecutionPlan> = Arc::new(scan.clone());
        let converter = DefaultPhysicalProtoConverter {};
        let written = PlanCodec::default().try_encode(node, &mut bytes, &converter);
        written.unwrap();
        bytes
    }

    #[test]
    fn a_scan_keeps_columns_query_and_limit() {
        for query in [
            "",
            "eco:B90",
            "eco:B90 or white:tal",
            "white:tal year:1960 not elo:2700..",
        ] {
            let scan = scan(query);
            let plan = decoded(&encoded(&scan), &scan).unwrap();
            let read = plan.downcast_ref::<ChessScan>().unwrap();
            assert_eq!(read.wanted, scan.wanted);
            assert_eq!(read.schema(), scan.schema());
            assert_eq!(read.sources[0].query, scan.sources[0].query, "{query}");
            assert_eq!(
                read.sources[0].origin.named().unwrap(),
                scan.sources[0].origin.named().unwrap()
            );
        }
    }

    #[test]
    fn a_query_that_names_a_file_is_refused() {
        let query = "eco:B90 or repertoire:\"/etc/passwd\"";
        let bytes = encoded(&scan("eco:B90"));
        let text = String::from_utf8(bytes).unwrap();
        let other = serde_json::to_string(query).unwrap();
        let text = text.replace("\"eco:B90\"", &other);
        let error = decoded(text.as_bytes(), &scan("")).unwrap_err().to_string();
        assert!(error.contains("names no files"), "{error}");
        let node: Arc<dyn ExecutionPlan> = Arc::new(scan(query));
        let converter = DefaultPhysicalProtoConverter {};
        let written = PlanCodec::default().try_encode(node, &mut Vec::new(), &converter);
        assert!(written.is_err());
    }

    #[test]
    fn functions_of_games_keep_their_databases() {
        let base = Base::open(Path::new("../fixtures/famous.si4")).unwrap();
        let named = |function: &ScalarUDF| {
            let origins = of_games::origins(function).unwrap();
            origins[0].named().unwrap()
        };
        for name in ["matches", "tag"] {
            let origins = || Ok(vec![Origin::Open(Arc::clone(&base))]);
            let function = of_games::listed(name, origins).unwrap().unwrap();
            let (codec, mut bytes) = (PlanCodec::default(), Vec::new());
            codec.try_encode_udf(&function, &mut bytes).unwrap();
            let read = codec.try_decode_udf(name, &bytes).unwrap();
            assert_eq!(named(&read), named(&function), "{name}");
        }
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let scan = scan("eco:B90");
        let bytes = encoded(&scan);
        for length in 0..bytes.len() {
            assert!(decoded(&bytes[..length], &scan).is_err(), "{length}");
        }
    }
}
