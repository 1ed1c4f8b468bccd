/**
 * Random sequences of create, update, patch, apply and delete by several managers, made from nothing but a seed, so that a recording of answers
 * need not hold what was asked. In canonical spelling. Changing anything here or in wishes.ts makes the recordings (ownership/sequences) void.
 */
import { Dice } from './dice';
import { isBody, type Body, type Json } from './reference';
import { METADATA, WISHES, type Wishes } from './wishes';

export type Way = 'create' | 'put' | 'json' | 'merge' | 'strategic' | 'apply' | 'delete';

export interface Step {
  readonly way: Way;
  readonly sub: '' | 'status';
  readonly manager: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Null for a deletion. */
  readonly body: Json;
}

export interface Sequence {
  readonly kind: Wishes;
  readonly name: string;
  readonly steps: readonly Step[];
}

const WAYS: readonly Way[] = [
  'put',
  'put',
  'merge',
  'merge',
  'strategic',
  'strategic',
  'json',
  'apply',
  'apply',
  'apply',
  'apply',
  'apply',
];

export function sequenceOf(seed: number, index: number): Sequence {
  const dice = new Dice(seed * 1_000_003 + index * 7919);
  const kind = dice.pick(WISHES);
  const name = `case-${seed}-${index}`;
  const steps = Array.from({ length: 3 + dice.below(6) }, (_, at) => step(dice, kind, name, at === 0));
  return { kind, name, steps };
}

function step(dice: Dice, kind: Wishes, name: string, isFirst: boolean): Step {
  const way = isFirst ? dice.pick<Way>(['create', 'apply']) : dice.often(0.04) ? 'delete' : dice.often(0.05) ? 'create' : dice.pick(WAYS);
  const sub = !isFirst && kind.status !== undefined && way !== 'create' && way !== 'delete' && dice.often(0.35) ? 'status' : '';
  const manager = dice.pick(['m1', 'm2', 'm3']);
  const force = way === 'apply' && dice.often(0.35);
  const dryRun = !isFirst && dice.often(0.06);
  return { way, sub, manager, force, dryRun, body: bodyOf(dice, kind, name, way, sub) };
}

function bodyOf(dice: Dice, kind: Wishes, name: string, way: Way, sub: string): Json {
  const part = wished(dice, kind, sub);
  const metadata = bodyFrom(METADATA(dice));
  const head = { apiVersion: kind.apiVersion, kind: kind.kind };
  switch (way) {
    case 'delete':
      return null;
    case 'create':
      return { ...head, ...merged(kind.base, part), metadata: { ...metadata, name } };
    case 'put':
      return { ...head, ...merged(sub === '' ? kind.base : {}, part), metadata: { ...metadata, name, ...claimed(dice, kind) } };
    case 'apply':
      // What creates must be whole; later an intent need not be.
      return {
        ...head,
        ...merged((dice.often(0.6) || kind.whole === true) && sub === '' ? kind.base : {}, part),
        metadata: { ...metadata, name },
      };
    case 'merge':
      return withNulls(dice, { ...part, metadata: { ...metadata, ...claimed(dice, kind) } });
    case 'strategic':
      return directed(dice, { ...part, metadata: { ...metadata, ...claimed(dice, kind) } });
    case 'json':
      return operations(dice, { ...part, metadata: { ...metadata, ...claimed(dice, kind) } });
  }
}

function wished(dice: Dice, kind: Wishes, sub: string): Body {
  if (sub !== 'status' || kind.status === undefined) return bodyFrom(kind.wish(dice));
  // Now and then something that the status endpoint does not write.
  return { status: kind.status(dice), ...(dice.often(0.15) ? bodyFrom(kind.wish(dice)) : {}) };
}

const bodyFrom = (value: Json): Body => (isBody(value) ? value : {});

function merged(base: Body, more: Body): Body {
  const made: Body = structuredClone(base);
  for (const [name, value] of Object.entries(more)) {
    const before = made[name];
    made[name] = isBody(before) && isBody(value) ? merged(before, value) : value;
  }
  return made;
}

/** Now and then what a client says about who owns what. */
function claimed(dice: Dice, kind: Wishes): Body {
  if (!dice.often(0.08)) return {};
  const entry = { manager: 'm9', operation: 'Update', apiVersion: kind.apiVersion, time: '2024-01-01T00:00:00Z', fieldsType: 'FieldsV1' };
  return {
    managedFields: dice.pick<Json>([
      [{}],
      [],
      null,
      [{ ...entry, fieldsV1: { 'f:metadata': { 'f:labels': { 'f:b': {}, 'f:a': {} } } } }],
      [{ ...entry, operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, 'f:x': {} } } } }],
      [{ ...entry, operation: 'Other', fieldsV1: {} }],
    ]),
  };
}

function withNulls(dice: Dice, body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, dice.often(0.12) ? null : isBody(value) ? withNulls(dice, value) : value]),
  );
}

/** A strategic merge patch: nulls, and directives here and there. */
function directed(dice: Dice, body: Body): Body {
  const made: Body = {};
  for (const [name, value] of Object.entries(body)) {
    if (dice.often(0.1)) made[name] = null;
    else if (isBody(value)) made[name] = dice.often(0.05) ? { $patch: dice.pick(['replace', 'delete']), ...value } : directed(dice, value);
    else if (Array.isArray(value)) directedList(dice, name, value, made);
    else made[name] = value;
  }
  if (dice.often(0.02)) made['$retainKeys'] = Object.keys(body);
  return made;
}

function directedList(dice: Dice, name: string, list: readonly Json[], made: Body): void {
  if (list.every((item) => typeof item !== 'object')) {
    if (dice.often(0.25)) made[`$deleteFromPrimitiveList/${name}`] = [...list];
    else made[name] = [...list];
    if (list.length > 0 && dice.often(0.2)) made[`$setElementOrder/${name}`] = [...list];
    return;
  }
  made[name] = list.map((item) => {
    if (!isBody(item)) return item;
    const [key] = Object.keys(item);
    if (key === undefined) return directed(dice, item);
    // Its key tells which item it is.
    const told = { [key]: item[key] ?? null };
    return dice.often(0.15) ? { $patch: 'delete', ...told } : { ...directed(dice, item), ...told };
  });
  if (dice.often(0.1)) made[name] = [...list, { $patch: 'replace' }];
}

/** JSON patch operations that aim at what a manager might want. */
function operations(dice: Dice, body: Body): Json {
  const leaves: { path: string; value: Json }[] = [];
  const walk = (path: string, value: Json): void => {
    if (dice.often(0.3) || typeof value !== 'object' || value === null) leaves.push({ path, value });
    else if (Array.isArray(value)) value.forEach((item, index) => walk(`${path}/${dice.often(0.2) ? '-' : index}`, item));
    else for (const [name, inner] of Object.entries(value)) walk(`${path}/${name.replaceAll('/', '~1')}`, inner);
  };
  for (const [name, value] of Object.entries(body)) {
    if (name === 'metadata' && isBody(value)) for (const [member, inner] of Object.entries(value)) walk(`/metadata/${member}`, inner);
    else walk(`/${name}`, value);
  }
  return dice
    .shuffled(leaves)
    .slice(0, 3)
    .map(({ path, value }) => {
      const op = dice.pick(['add', 'add', 'add', 'add', 'add', 'replace', 'remove', 'test', 'copy']);
      if (op === 'remove') return { op, path };
      return op === 'copy' ? { op, from: path, path } : { op, path, value };
    });
}
