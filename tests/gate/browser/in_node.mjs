// node in_node.mjs PYODIDE_FOLDER FILES.json TOLD.json

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { gateIn } from "./gate_in_pyodide.mjs";

const [pyodideFolder, files, told] = process.argv.slice(2);
const folder = resolve(pyodideFolder);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const pyodide = await loadPyodide({ indexURL: `${folder}/` });
writeFileSync(told, await gateIn(pyodide, JSON.parse(readFileSync(files, "utf-8"))));
