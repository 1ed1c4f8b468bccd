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

const CHAIN = 'apiserver/server/filters/filter-chain';
/** Modules of functions that call a filter, from the chain to the filter. */
const AROUND_FILTERS: ReadonlySet<string> = new Set([CHAIN, 'shared/runtime/measure-time']);
const CHAIN_LIST = 'apiserver/server/chain';
const TIMED_FILTER = 'filterChain';
const ROUTE = 'route';
const NODE = 'Node: TLS, HTTP, sockets, timers';

/** Frames of V8 that no code calls. */
const UNATTRIBUTED: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'outside JavaScript'],
]);

/** `root`: the folder of the compiled product. */
export function shareProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, root: string): ProfileShares {
  const frames = new Frames(root);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const micros = new Map<number, number>();
  samples.forEach((id, index) => micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[index] ?? 0)));
  const [byFilter, byFolder] = [new Map<string, number>(), new Map<string, number>()];
  const visit = (node: Profiler.ProfileNode, filter: string, folder: string): void => {
    const frame = frames.of(node);
    const ownFilter = filterOf(frame, filter);
    const ownFolder = UNATTRIBUTED.get(frame.name) ?? (frame.isNode ? NODE : frame.module === undefined ? folder : folderOf(frame.module));
    const time = isIgnored(frame) ? 0 : (micros.get(node.id) ?? 0);
    add(byFilter, UNATTRIBUTED.get(frame.name) ?? ownFilter, time);
    add(byFolder, ownFolder, time);
    if (isIgnored(frame)) return;
    for (const child of node.children ?? []) {
      const next = byId.get(child);
      if (next !== undefined) visit(next, ownFilter, ownFolder);
    }
  };
  const [top] = nodes;
  if (top !== undefined) visit(top, NODE, NODE);
  return { byFilter: toShares(byFilter), byFolder: toShares(byFolder) };
}

/** The process waits, or the benchmark's own module in it runs. */
const isIgnored = ({ name, module }: Frame): boolean => name === '(idle)' || module?.startsWith('test/') === true;

const IN_CHAIN = 'the chain itself';
const BEFORE_CHAIN = 'apiserver/server, before the chain';

/** The row of a frame; `outer` is that of its caller. */
function filterOf({ module, topLevelFunction }: Frame, outer: string): string {
  if (module === undefined) return outer;
  const isOutside = outer === NODE || outer === BEFORE_CHAIN || outer === IN_CHAIN;
  if (!isOutside) return outer;
  if (AROUND_FILTERS.has(module)) return IN_CHAIN;
  if (module === CHAIN_LIST && topLevelFunction === ROUTE) return 'handler';
  if (module === CHAIN_LIST && topLevelFunction === TIMED_FILTER) return IN_CHAIN;
  if (outer === IN_CHAIN) return `filter ${topLevelFunction}`;
  return module.startsWith('apiserver/server/') ? BEFORE_CHAIN : `${folderOf(module)}, called by Node`;
}

const folderOf = (module: string): string => module.split('/').slice(0, 2).join('/');

function add(sums: Map<string, number>, key: string, value: number): void {
  if (value > 0) sums.set(key, (sums.get(key) ?? 0) + value);
}

function toShares(sums: ReadonlyMap<string, number>): Shares {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0);
  return new Map([...sums].map(([key, value]): [string, number] => [key, value / total]).sort(([, a], [, b]) => b - a));
}

const TOP_LEVEL = /^(?:async )?function\*? (\w+)|^(?:class|const|let) (\w+)/;

/** Resolves the frames of a profile, reading each compiled module once. */
class Frames {
  private readonly lines = new Map<string, readonly string[]>();

  constructor(private readonly root: string) {}

  of({ callFrame: { url, functionName, lineNumber } }: Profiler.ProfileNode): Frame {
    const isNode = url.startsWith('node:');
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const relative = path.relative(this.root, file);
    const outside = { isNode, module: undefined, topLevelFunction: '', name: functionName };
    if (isNode || file === '' || relative.startsWith('..')) return outside;
    return { ...outside, module: relative.replace(/\.js$/, ''), topLevelFunction: this.topLevelFunction(file, lineNumber) };
  }

  private topLevelFunction(file: string, line: number): string {
    let lines = this.lines.get(file);
    if (lines === undefined) this.lines.set(file, (lines = readFileSync(file, 'utf8').split('\n')));
    for (let at = line; at >= 0; at -= 1) {
      const [, name, other] = TOP_LEVEL.exec(lines[at] ?? '') ?? [];
      if (name !== undefined || other !== undefined) return name ?? other ?? '';
    }
    return '';
  }
}
