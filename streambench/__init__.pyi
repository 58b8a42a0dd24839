"""The names of the library, each with the module that it comes from. There is no other list of them."""

from streambench.data.arrow_source import ArrowSource as ArrowSource
from streambench.data.feed import Feed as Feed
from streambench.data.growing import GrowingFile as GrowingFile
from streambench.data.growing import GrowingFolder as GrowingFolder
from streambench.data.kafka_feed import KafkaFeed as KafkaFeed
from streambench.errors import DataError as DataError
from streambench.errors import OperatorError as OperatorError
from streambench.errors import OptionError as OptionError
from streambench.errors import SinkError as SinkError
from streambench.errors import StreambenchError as StreambenchError
from streambench.execution.options import Options as Options
from streambench.execution.pipeline import Pipeline as Pipeline
from streambench.execution.result import Result as Result
from streambench.execution.run import Run as Run
from streambench.execution.stream import Stream as Stream
from streambench.joins.join import join as join
from streambench.joins.source import ArrowJoinSource as ArrowJoinSource
from streambench.operators.decorators import filtered as filtered
from streambench.operators.decorators import keyed as keyed
from streambench.operators.decorators import mapped as mapped
from streambench.operators.decorators import stateful as stateful
from streambench.operators.decorators import stateless as stateless
from streambench.pyx.join.gate_source import GateSource as GateSource
from streambench.pyx.join.predicate import Predicate as Predicate
from streambench.pyx.join.stream_join_source import StreamJoinSource as StreamJoinSource
from streambench.pyx.order.ordered_scheduler import OrderedScheduler as OrderedScheduler
from streambench.pyx.tuples.batch_sink import BatchSink as BatchSink
from streambench.pyx.tuples.heartbeat import Heartbeat as Heartbeat
from streambench.pyx.tuples.table_sink import TableSink as TableSink
from streambench.pyx.tuples.table_source import BatchSource as BatchSource
from streambench.pyx.tuples.table_source import TableSource as TableSource
from streambench.sinks.callback_sink import CallbackSink as CallbackSink
from streambench.sinks.ipc_sink import IpcSink as IpcSink
from streambench.sinks.kafka_sink import KafkaSink as KafkaSink
from streambench.sinks.parquet_sink import ParquetSink as ParquetSink
from streambench.sinks.tap import tap as tap
from streambench.topk.topk import TopK as TopK
from streambench.version import __version__ as __version__
from streambench.windows.own_aggregate import aggregate as aggregate
from streambench.windows.window import window as window
from streambench.windows.windowed import windowed as windowed

def get_include() -> str: ...
