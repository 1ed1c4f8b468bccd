/**
 * Divides a CPU profile of an API server that serves GET requests: by the filters of its chain, by what runs outside the
 * chain, and by the folders of the code that runs. Depends on the names of modules, not on their lines: a new filter is a
 * new row.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiler } from 'node:inspector/promises';

/** Shares of the time in which the process was not idle; descending. */
export type Shares = ReadonlyMap<string, number>;

export interface ProfileShares {
  readonly byFilter: Shares;
  readonly byFolder: Shares;
}

interface Frame {
  /** A module of Node. */
  readonly isNode: boolean;
  /** Below `dist`, without the extension; undefined outside the product: in Node, packages and functions of the language. */
  readonly module: string | undefined;
  /** The function at the top level of the module that contains the frame's function. */
  readonly topLevelFunction: string;
  /** V8's name of frames without code, such as `(garbage collector)`. */
  readonly name: string;
}

/** Modules of the functions that call a filter. */
const AROUND_FILTERS: ReadonlySet<string> = new Set(['apiserver/server/filters/filter-chain', 'shared/runtime/measure-time']);
/** The module that lists the filters, and its functions: the one that runs them, and the handler behind the last. */
const CHAIN_MODULE = 'apiserver/server/chain';
const CHAIN_FUNCTION = 'filterChain';
const HANDLER_FUNCTION = 'route';
const NODE = 'Node: TLS, HTTP, sockets, timers';

/** Frames of V8 that no code calls. */
const UNATTRIBUTED: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'outside JavaScript'],
]);

/**
 * Adds the time of each node of the profile's call tree to one filter and to one folder, which a node without its own
 * inherits from its caller. `productFolder`: the folder of the compiled product.
 */
export function shareProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, productFolder: string): ProfileShares {
  const frames = new Frames(productFolder);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const micros = new Map<number, number>();
  samples.forEach((id, index) => micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const byFilter = new Map<string, number>();
  const byFolder = new Map<string, number>();
  const visit = (node: Profiler.ProfileNode, callerFilter: string, callerFolder: string): void => {
    const frame = frames.resolve(node);
    if (isIgnored(frame)) return;
    const filter = rowOfFilter(frame, callerFilter);
    const folder = rowOfFolder(frame, callerFolder);
    const time = micros.get(node.id) ?? 0;
    add(byFilter, UNATTRIBUTED.get(frame.name) ?? filter, time);
    add(byFolder, folder, time);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, filter, folder);
    }
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, NODE, NODE);
  return { byFilter: toShares(byFilter), byFolder: toShares(byFolder) };
}

/** The process waits, or the benchmark's own module in it runs. */
const isIgnored = ({ name, module }: Frame): boolean => name === '(idle)' || module?.startsWith('test/') === true;

const IN_CHAIN = 'the chain itself';
const BEFORE_CHAIN = 'apiserver/server, before the chain';

/** The row of a frame among the filters, in which all that a filter calls has the filter's row. */
function rowOfFilter({ module, topLevelFunction }: Frame, callerRow: string): string {
  if (module === undefined) return callerRow;
  const isCallerOutsideFilters = callerRow === NODE || callerRow === BEFORE_CHAIN || callerRow === IN_CHAIN;
  if (!isCallerOutsideFilters) return callerRow;
  if (AROUND_FILTERS.has(module)) return IN_CHAIN;
  if (module === CHAIN_MODULE && topLevelFunction === HANDLER_FUNCTION) return 'handler';
  if (module === CHAIN_MODULE && topLevelFunction === CHAIN_FUNCTION) return IN_CHAIN;
  if (callerRow === IN_CHAIN) return `filter ${topLevelFunction}`;
  return module.startsWith('apiserver/server/') ? BEFORE_CHAIN : `${folderOf(module)}, called by Node`;
}

/** The row of a frame among the folders. Functions of packages and of the language have the row of their caller. */
function rowOfFolder({ name, isNode, module }: Frame, callerRow: string): string {
  const unattributed = UNATTRIBUTED.get(name);
  if (unattributed !== undefined) return unattributed;
  if (isNode) return NODE;
  return module === undefined ? callerRow : folderOf(module);
}

const folderOf = (module: string): string => module.split('/').slice(0, 2).join('/');

function add(sums: Map<string, number>, key: string, value: number): void {
  if (value > 0) sums.set(key, (sums.get(key) ?? 0) + value);
}

function toShares(sums: ReadonlyMap<string, number>): Shares {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0);
  return new Map([...sums].map(([key, value]): [string, number] => [key, value / total]).sort(([, a], [, b]) => b - a));
}

/** The first line of a function, class or variable that is not indented, as in compiled modules; captures its name. */
const TOP_LEVEL_DECLARATION = /^(?:async )?function\*? (\w+)|^(?:class|const|let) (\w+)/;

/** Resolves the frames of a profile, reading each compiled module once. */
class Frames {
  private readonly lines = new Map<string, readonly string[]>();

  constructor(private readonly root: string) {}

  resolve({ callFrame: { url, functionName, lineNumber } }: Profiler.ProfileNode): Frame {
    const isNode = url.startsWith('node:');
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const relative = path.relative(this.root, file);
    const outside = { isNode, module: undefined, topLevelFunction: '', name: functionName };
    if (isNode || file === '' || relative.startsWith('..')) return outside;
    return { ...outside, module: relative.replace(/\.js$/, ''), topLevelFunction: this.topLevelFunction(file, lineNumber) };
  }

  /** The name of the last declaration at the top level that begins at or before `line`, counted from 0; '' without one. */
  private topLevelFunction(file: string, line: number): string {
    let lines = this.lines.get(file);
    if (lines === undefined) this.lines.set(file, (lines = readFileSync(file, 'utf8').split('\n')));
    for (let index = line; index >= 0; index -= 1) {
      const [, functionName, otherName] = TOP_LEVEL_DECLARATION.exec(lines[index] ?? '') ?? [];
      const name = functionName ?? otherName;
      if (name !== undefined) return name;
    }
    return '';
  }
}
