"""The names of the laboratory, each with the module that it comes from. There is no other list of them."""

from streambench.lab.cluster.run import run_on_cluster as run_on_cluster
from streambench.lab.record.frame import load_results as load_results
from streambench.lab.workloads.micro import MicroSpec as MicroSpec
from streambench.lab.workloads.micro import OperatorSpec as OperatorSpec
from streambench.lab.workloads.micro import run_micro as run_micro
from streambench.lab.workloads.result import RunResult as RunResult
from streambench.lab.workloads.runner import run as run
