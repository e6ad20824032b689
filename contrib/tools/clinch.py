# A tool-info module for BenchExec: copy it into `benchexec/tools`, or put the folder `contrib` on PYTHONPATH and name the tool `tools.clinch`.

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import UnsupportedFeatureException


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for clinch, a software model checker."""

    # The properties that clinch knows by their names.
    PROPERTIES = ("unreach-call", "no-overflow", "valid-memsafety", "valid-memcleanup")

    def executable(self, tool_locator):
        return tool_locator.find_executable("clinch")

    def name(self):
        return "clinch"

    def project_url(self):
        return ""

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="clinch ")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", *options]
        if rlimits.cputime:
            command += ["--timeout", f"{rlimits.cputime}s"]
        elif rlimits.walltime:
            command += ["--timeout", f"{rlimits.walltime}s"]
        if rlimits.memory:
            command += ["--memory", str(rlimits.memory)]
        if task.property_file and "--property" not in options:
            name = task.property_file.rsplit("/", 1)[-1].removesuffix(".prp")
            if name not in self.PROPERTIES:
                # Without it clinch would answer another question.
                raise UnsupportedFeatureException(f"clinch does not know the property {name}")
            command += ["--property", name]
        data_model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if data_model and "--data-model" not in options:
            command += ["--data-model", data_model.lower()]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run):
        code = run.exit_code.value
        first = next((line for line in run.output if line.startswith(("SAFE", "UNSAFE", "UNKNOWN"))), "")
        if code == 0:
            return result.RESULT_TRUE_PROP
        if code == 1:
            return self._violation(run.output)
        if code == 2:
            return "TIMEOUT" if "time limit" in first else result.RESULT_UNKNOWN
        names = {64: "usage", 65: "bad input", 70: "internal error"}
        return f"{result.RESULT_ERROR} ({names.get(code, code)})"

    def _violation(self, output):
        # A violation of memory safety says which part of it.
        part = self.get_value_from_output(output, "violates: ")
        return f"{result.RESULT_FALSE_PROP}({part})" if part else result.RESULT_FALSE_PROP

    def get_value_from_output(self, output, identifier):
        for line in output:
            if line.startswith(identifier):
                return line[len(identifier):].strip(": ")
        return None
