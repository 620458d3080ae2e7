# test: labels cli timeout 120
"""Twenty thousand evaluations: resuming and asking stay quick. The bounds leave room for a busy machine."""
import os
import resource
import sys
import time

import program
from program import SOBOL

LARGE = SOBOL.replace("batch: 4", "batch: 2000").replace("parallel: 4", "parallel: 2000") \
             .replace("evaluations: 24", "evaluations: 20000")


class Scale(program.ProgramTest):
    def timed(self, longest, *words, **options):
        begin = time.monotonic()
        outcome = self.succeed(*words, **options)
        seconds = time.monotonic() - begin
        print(f"{' '.join(map(str, words[:1]))}: {seconds:.2f} s", flush=True)
        self.assertLess(seconds, longest, words)
        return outcome

    def test_a_large_history_is_handled_quickly(self):
        file = self.write(LARGE)
        self.timed(60, "run", file, "-q", ranks=2)
        self.check_history(20000)
        self.timed(9, "run", file, "-q", "--resume", "--max-evals", 20004, ranks=2)
        self.timed(6, "status", "fast.campaign")
        self.timed(6, "best", "fast.campaign")
        self.timed(6, "verify", "fast.campaign")
        rows = self.timed(6, "export", "fast.campaign").out.count("\n")
        self.assertEqual(rows, 20005)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest process: {peak:.0f} MiB")
        self.assertLess(peak, 600)
        (self.folder / "fast.campaign" / "journal").unlink()
        self.timed(15, "run", file, "-q", "--resume", "--max-evals", 20004)
        self.check_history(20004)

    def test_the_report_of_many_noisy_results_takes_little_memory(self):
        """The model behind the recommendation does not take all of them: with all it took 400 MiB more."""
        self.succeed("run", self.write(LARGE.replace("method: sobol", "method: sobol\nnoise: 0.1")), "-q")
        told = self.folder / "peak"
        program_of = f"import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); open({str(told)!r}, 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(code)"
        outcome = self.start("report", "fast.campaign", wrapper=(sys.executable, "-c", program_of)).wait()
        self.assertEqual(outcome.code, program.FINISHED, outcome)
        peak = int(told.read_text()) / 1024
        print(f"report: {peak:.0f} MiB")
        if "GANNET_SANITIZE" not in os.environ:
            self.assertLess(peak, 250)


if __name__ == "__main__":
    program.main()
