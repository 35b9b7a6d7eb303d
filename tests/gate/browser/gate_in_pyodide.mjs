// What both hosts run: the gate's own files, and the generated runs, in Python as WebAssembly.

const FOLDER = "/proof";

const PROGRAM = `
import importlib.util, json, sys
sys.path.insert(0, "${FOLDER}")
if importlib.util.find_spec("judgekit") is not None:
    raise AssertionError("the rest of judgekit can be imported, so this proves nothing")
import gate, generated
outside = sorted(
    {name.partition(".")[0] for name in sys.modules if not name.startswith("_")}
    - set(sys.stdlib_module_names)
)
outcome = generated.outcome(gate)
json.dumps({"python": sys.version, "platform": sys.platform, "imported": outside, "outcome": outcome})
`;

/**
 * Load `files` (text by path below one folder) into a fresh Python and return what the gate tells.
 */
export async function gateIn(pyodide, files) {
  for (const [path, text] of Object.entries(files)) {
    const whole = `${FOLDER}/${path}`;
    pyodide.FS.mkdirTree(whole.slice(0, whole.lastIndexOf("/")));
    pyodide.FS.writeFile(whole, text);
  }
  return await pyodide.runPythonAsync(PROGRAM);
}
