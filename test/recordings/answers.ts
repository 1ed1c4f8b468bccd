/**
 * Recorded answers: where they lie (answers/<area>/<name>.jsonl), how they are read and how a recorder prints them. A file holds one case a line. Where
 * a recording is more than a list, its first line says how the others make it up:
 *   {"shape":"groups"}    a list of groups of cases: {"group":{…}} begins one, {"case":…} adds to it
 *   {"shape":"sections"}  an object of lists and objects: ["section",item] adds an item, ["section","member",value] a member
 * Nothing here is part of the program, and nothing is copied into the build.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

/** Of the sources, also when this runs from the build. */
const FOLDER = path.join(__dirname.replace(`${path.sep}dist${path.sep}test`, `${path.sep}test`), 'answers');

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
type Group = { cases: Json[]; [member: string]: Json };

/** `name` = `<area>/<name>`; whoever asks knows what was recorded. */
export function recordedAnswers<T>(name: string): T {
  const lines = linesOf(path.join(FOLDER, `${name}.jsonl`));
  const value: T = JSON.parse(JSON.stringify(assembled(lines)));
  return value;
}

/** What was recorded of an area, by the names that {@link recordedAnswers} takes. */
export function recordedNames(area: string): readonly string[] {
  return readdirSync(path.join(FOLDER, area))
    .sort()
    .map((file) => `${area}/${path.basename(file, '.jsonl')}`);
}

/** The lines of a recording, for a recorder to print. */
export function answerLines(value: Json): string {
  return `${[...spelled(value)].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function* spelled(value: Json): Iterable<Json> {
  if (Array.isArray(value)) {
    const groups = value.filter(isGroup);
    if (groups.length < value.length) return yield* value;
    yield { shape: 'groups' };
    for (const { cases, ...group } of groups) {
      yield { group };
      for (const one of cases) yield { case: one };
    }
    return;
  }
  yield { shape: 'sections' };
  for (const [section, items] of isMap(value) ? Object.entries(value) : []) {
    if (Array.isArray(items)) for (const item of items) yield [section, item];
    else if (isMap(items)) for (const [member, item] of Object.entries(items)) yield [section, member, item];
  }
}

function isMap(value: Json | undefined): value is { [member: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isGroup(value: Json): value is Group {
  return isMap(value) && Array.isArray(value['cases']);
}

function assembled(lines: Iterable<Json>): Json {
  const list: Json[] = [];
  let shape: Json = 'list';
  const sections: Record<string, Json> = {};
  for (const line of lines) {
    if (list.length === 0 && isMap(line) && line['shape'] !== undefined) shape = line['shape'];
    else if (shape === 'groups') addToGroups(list, line);
    else if (shape === 'sections') addToSections(sections, line);
    else list.push(line);
  }
  return shape === 'sections' ? sections : list;
}

function addToGroups(groups: Json[], line: Json): void {
  if (!isMap(line)) throw new Error('a line of groups is an object');
  const last = groups.at(-1);
  const group = line['group'];
  if (isMap(group)) groups.push({ ...group, cases: [] });
  else if (last !== undefined && isGroup(last)) last.cases.push(line['case'] ?? null);
}

function addToSections(sections: Record<string, Json>, line: Json): void {
  if (!Array.isArray(line)) throw new Error('a line of sections is a list');
  const [section, ...rest] = line;
  const name = textOf(section);
  const [member, value] = rest;
  if (rest.length === 1) {
    const items = (sections[name] ??= []);
    if (Array.isArray(items)) items.push(member ?? null);
    return;
  }
  const members = (sections[name] ??= {});
  if (isMap(members)) members[textOf(member)] = value ?? null;
}

function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new Error('a section and a member have names');
  return value;
}

const CHUNK = 1 << 16;

/** Parsed one after the other, so that a recording is never held as one text. */
function* linesOf(file: string): Iterable<Json> {
  const handle = openSync(file, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.alloc(CHUNK);
    let rest = '';
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
    if (rest !== '') yield JSON.parse(rest);
  } finally {
    closeSync(handle);
  }
}
