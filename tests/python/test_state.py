"""States that gannet.Optimizer does not load."""
import ctypes
import pathlib
import tempfile
import unittest

import gannet

HEADER, CHECK = 512, len(b"check 0123456789abcdef\n")


class State(unittest.TestCase):
    def test_a_state_of_a_later_version_and_a_damaged_one_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state.h5"
            with gannet.Optimizer({"x": (0, 1)}) as optimizer:
                optimizer.ask(3)
                optimizer.save(path)
            with gannet.Optimizer({"x": (0, 1)}) as same:
                same.load(path)
                self.assertEqual(len(same.pending()), 3)
            whole = path.read_bytes()
            schema = whole.split(b"\n")[1]
            checked = whole[:HEADER - CHECK].replace(schema, b"schema 9", 1)
            check = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
            check.restype, check.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
            newer = checked + b"check %016x\n" % check(checked, len(checked)) + whole[HEADER:]
            for text, told in ((newer, "has schema 9, this gannet reads up to .; use the newer gannet that wrote it"),
                               (whole[:HEADER - 20] + b"0" + whole[HEADER - 19:], "checksum"), (whole[:-9], "state.h5"), (b"", "state.h5")):
                path.write_bytes(text)
                with self.subTest(told), gannet.Optimizer({"x": (0, 1)}) as optimizer:
                    with self.assertRaisesRegex(gannet.Error, told):
                        optimizer.load(path)
                    self.assertEqual(len(optimizer.ask(2)), 2)


if __name__ == "__main__":
    unittest.main()
