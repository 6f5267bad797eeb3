"""`vllm bench serve` out of its wheel: the command's own module, without the
command line around it, which imports the whole engine's.
"""
import sys

from vllm.benchmarks.serve import add_cli_args, main
from vllm.utils.argparse_utils import FlexibleArgumentParser

parser = FlexibleArgumentParser(prog="vllm bench serve")
add_cli_args(parser)
main(parser.parse_args(sys.argv[3:]))  # after the words "bench serve"
