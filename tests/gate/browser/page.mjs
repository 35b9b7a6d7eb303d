// The page of the proof: it runs the gate and hands what it told, or what went wrong, back.

import { gateIn } from "./gate_in_pyodide.mjs";

async function told() {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const files = await (await fetch("files.json")).json();
  const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", location).href });
  return await gateIn(pyodide, files);
}

const body = await told().catch((error) => JSON.stringify({ error: String(error) }));
await fetch("told", { method: "POST", body });
