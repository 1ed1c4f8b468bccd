/**
 * Expands macros: calls that stand for a presence test or a comprehension. A call with another number of arguments than
 * the macro remains a call.
 */
import {
  ACCUMULATOR,
  CONDITIONAL,
  NOT,
  NOT_STRICTLY_FALSE,
  OPERATORS,
  type Call,
  type Comprehension,
  type Expr,
  type MacroLoop,
} from './ast';
import type { Issue } from './issues';

type Expand = (call: Call, args: readonly Expr[], issues: Issue[]) => Expr;

interface Macro {
  readonly name: string;
  readonly args: number;
  readonly member: boolean;
  readonly expand: Expand;
}

const UNUSED = '#unused';

const makeCall = (at: number, name: string, ...args: readonly Expr[]): Expr => ({ kind: 'call', at, name, target: undefined, args });
const makeMethodCall = (at: number, target: Expr, name: string): Expr => ({ kind: 'call', at, name, target, args: [] });
const makeList = (at: number, items: readonly Expr[]): Expr => ({ kind: 'list', at, items, optional: new Set() });
const accumulatorRef = (at: number): Expr => ({ kind: 'ident', at, name: ACCUMULATOR });
const makeLiteral = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });

interface LoopParts {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Macros with a different message for an invalid iteration variable. */
const COLLECTING: ReadonlySet<MacroLoop['macro']> = new Set(['map', 'filter']);

/**
 * A comprehension over the target of the call, with the first argument as iteration variable; reports an error when
 * that is not a simple name.
 */
function makeLoop(source: Call, variable: Expr | undefined, parts: LoopParts, macroLoop: MacroLoop, issues: Issue[]): Expr {
  if (variable?.kind !== 'ident' || variable.name.startsWith('.') || source.target === undefined) {
    issues.push({
      at: variable?.at ?? source.at,
      message: COLLECTING.has(macroLoop.macro) ? 'argument is not an identifier' : 'argument must be a simple name',
    });
    return source;
  }
  if (variable.name === ACCUMULATOR) {
    issues.push({ at: variable.at, message: 'iteration variable overwrites accumulator variable' });
    return source;
  }
  const comprehension: Comprehension = {
    kind: 'comprehension',
    at: source.at,
    variable: variable.name,
    range: source.target,
    accumulator: ACCUMULATOR,
    ...parts,
    loop: macroLoop,
  };
  return comprehension;
}

const expandHas: Expand = (source, [operand], issues) => {
  if (operand?.kind === 'select') return { ...operand, at: source.at, testOnly: true };
  issues.push({ at: operand?.at ?? source.at, message: 'invalid argument to has() macro' });
  return source;
};

const expandAll: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, true),
    condition: makeCall(at, NOT_STRICTLY_FALSE, accumulatorRef(at)),
    step: makeCall(at, OPERATORS['&&'], accumulatorRef(at), body),
    result: accumulatorRef(at),
  };
  return makeLoop(source, variable, parts, { macro: 'all', body, filter: undefined }, issues);
};

const expandExists: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, false),
    condition: makeCall(at, NOT_STRICTLY_FALSE, makeCall(at, NOT, accumulatorRef(at))),
    step: makeCall(at, OPERATORS['||'], accumulatorRef(at), body),
    result: accumulatorRef(at),
  };
  return makeLoop(source, variable, parts, { macro: 'exists', body, filter: undefined }, issues);
};

const expandExistsOne: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, 0n),
    condition: makeLiteral(at, true),
    step: makeCall(at, CONDITIONAL, body, makeCall(at, OPERATORS['+'], accumulatorRef(at), makeLiteral(at, 1n)), accumulatorRef(at)),
    result: makeCall(at, OPERATORS['=='], accumulatorRef(at), makeLiteral(at, 1n)),
  };
  return makeLoop(source, variable, parts, { macro: 'exists_one', body, filter: undefined }, issues);
};

/** Collects `body` of every item that satisfies `filter`. */
function collect(
  source: Call,
  variable: Expr | undefined,
  filter: Expr | undefined,
  body: Expr,
  macro: 'map' | 'filter',
  issues: Issue[],
): Expr {
  const { at } = source;
  const add = makeCall(at, OPERATORS['+'], accumulatorRef(at), makeList(at, [body]));
  const parts = {
    init: makeList(at, []),
    condition: makeLiteral(at, true),
    step: filter === undefined ? add : makeCall(at, CONDITIONAL, filter, add, accumulatorRef(at)),
    result: accumulatorRef(at),
  };
  return makeLoop(source, variable, parts, { macro, body, filter }, issues);
}

const expandMap: Expand = (source, [variable, body], issues) =>
  body === undefined ? source : collect(source, variable, undefined, body, 'map', issues);
const expandMapFiltered: Expand = (source, [variable, filter, body], issues) =>
  body === undefined ? source : collect(source, variable, filter, body, 'map', issues);
const expandFilter: Expand = (source, [variable, filter], issues) =>
  variable === undefined ? source : collect(source, variable, filter, variable, 'filter', issues);

/**
 * `o.optMap(x, f)` applies `f` to the value of an optional. `optMap` wraps the result in an optional; for `optFlatMap`,
 * `f` returns one.
 */
function expandOptional(macro: 'optMap' | 'optFlatMap'): Expand {
  return (source, [variable, body], issues) => {
    const { at, target } = source;
    if (target === undefined || body === undefined) return source;
    if (variable?.kind !== 'ident' || variable.name.startsWith('.')) {
      issues.push({ at: variable?.at ?? at, message: `${macro}() variable name must be a simple identifier` });
      return source;
    }
    const bound: Comprehension = {
      kind: 'comprehension',
      at,
      variable: UNUSED,
      range: makeList(at, []),
      accumulator: variable.name,
      init: makeMethodCall(at, target, 'value'),
      condition: makeLiteral(at, false),
      step: { kind: 'ident', at, name: variable.name },
      result: body,
      loop: { macro: 'bind', body, filter: undefined },
    };
    const optional: Expr = { kind: 'ident', at, name: 'optional' };
    const some: Expr = macro === 'optFlatMap' ? bound : { kind: 'call', at, name: 'of', target: optional, args: [bound] };
    const none: Expr = { kind: 'call', at, name: 'none', target: optional, args: [] };
    return makeCall(at, CONDITIONAL, makeMethodCall(at, target, 'hasValue'), some, none);
  };
}

const MACROS: readonly Macro[] = [
  { name: 'has', args: 1, member: false, expand: expandHas },
  { name: 'all', args: 2, member: true, expand: expandAll },
  { name: 'exists', args: 2, member: true, expand: expandExists },
  { name: 'exists_one', args: 2, member: true, expand: expandExistsOne },
  { name: 'map', args: 2, member: true, expand: expandMap },
  { name: 'map', args: 3, member: true, expand: expandMapFiltered },
  { name: 'filter', args: 2, member: true, expand: expandFilter },
  { name: 'optMap', args: 2, member: true, expand: expandOptional('optMap') },
  { name: 'optFlatMap', args: 2, member: true, expand: expandOptional('optFlatMap') },
];

export function expandMacro(source: Call, issues: Issue[]): Expr {
  const isMember = source.target !== undefined;
  const macro = MACROS.find(({ name, args, member }) => name === source.name && args === source.args.length && member === isMember);
  return macro === undefined ? source : macro.expand(source, source.args, issues);
}
