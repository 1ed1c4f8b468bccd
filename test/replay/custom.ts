/**
 * Records what the reference server says to custom resources:
 *   node deploy/scripts/run.mjs test/replay/custom.js <topic>
 * Creations and updates are dry runs. A definition has a version that allows everything, in which the old objects of updates are stored, and one
 * with the schema in question. Everything is deleted at the end.
 */
import { applying } from './custom/applying';
import type { Definition, Sequence, Topic } from './custom/cases';
import { columnTopic, paths } from './custom/columns';
import { decoding } from './custom/decoding';
import { formats } from './custom/formats';
import { publishing } from './custom/publishing';
import { updates } from './custom/updates';
import { validation } from './custom/validation';
import { shortenPatterns } from './normalize-answer';
import { writeRecording } from './recording';
import { ask, call, causesOf, hangUp, isBody, type Body, type Json, type Reply } from './reference';
import { expandBody } from './request-body';

const TOPICS: Readonly<Record<string, Topic>> = {
  applying,
  columns: columnTopic,
  decoding,
  formats,
  paths,
  publishing,
  updates,
  validation,
};
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ANYTHING: Body = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A definition on the reference server, and its objects. */
class Site {
  private readonly name: string;
  private readonly group: string;
  private readonly plural: string;

  constructor(
    topic: string,
    index: number,
    private readonly definition: Definition,
  ) {
    this.group = `${topic}.schema.example.com`;
    this.plural = `things${index}`;
    this.name = `${this.plural}.${this.group}`;
  }

  /** What each path shows of the objects; undefined where the reference cannot read it. */
  async paths(objects: readonly Body[]): Promise<Body> {
    for (const [index, object] of objects.entries()) await this.store(`t${index}`, object);
    const found: Body = {};
    for (const [index, path] of (this.definition.paths ?? []).entries()) {
      const rows = await this.table(`p${index}`);
      found[path] = rows.map((cells) => (Array.isArray(cells) ? (cells[1] ?? null) : null));
      if (rows.some((cells) => Array.isArray(cells) && cells.length < 2)) found[path] = 'unreadable';
    }
    return found;
  }

  private async table(version: string): Promise<Json[]> {
    const { bytes } = await ask('GET', this.path(version), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const table: Body = JSON.parse(bytes.toString());
    return (Array.isArray(table['rows']) ? table['rows'].filter(isBody) : []).map(({ cells }) => cells ?? null);
  }

  async rows(objects: readonly Body[]): Promise<Body> {
    for (const [index, object] of objects.entries()) await this.store(`t${index}`, object);
    const { bytes } = await ask('GET', this.path('v2'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const table: Body = JSON.parse(bytes.toString());
    const rows = Array.isArray(table['rows']) ? table['rows'].filter(isBody) : [];
    return {
      at: new Date().toISOString(),
      columnDefinitions: table['columnDefinitions'] ?? null,
      rows: rows.map(({ cells }) => cells ?? null),
    };
  }

  /** The schemas of the kind and its list in both versions of OpenAPI. */
  async documents(): Promise<Body> {
    const name = `${this.group.split('.').reverse().join('.')}.v2.Thing`;
    const read = async (path: string, pick: (document: Body) => Json | undefined): Promise<Body> => {
      for (;;) {
        const { code, body } = await call('GET', path, JSON_TYPE).catch(() => ({ code: 404, body: {} }));
        const schemas = code === 200 ? pick(body) : undefined;
        const found = isBody(schemas) ? schemas[name] : undefined;
        if (isBody(schemas) && found !== undefined) return { kind: found, list: schemas[`${name}List`] ?? null };
        await pause();
      }
    };
    const v3 = await read(`/openapi/v3/apis/${this.group}/v2`, ({ components }) =>
      isBody(components) ? components['schemas'] : undefined,
    );
    return { v2: await read('/openapi/v2', ({ definitions }) => definitions), v3 };
  }

  private body(): Body {
    const version = (name: string, schema: Body, more: Body): Body => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: schema },
      ...more,
    });
    const paths = (this.definition.paths ?? []).map((jsonPath, index) =>
      version(`p${index}`, this.definition.schema, { additionalPrinterColumns: [{ name: 'Path', type: 'string', jsonPath }] }),
    );
    const versions = [version('v1', ANYTHING, {}), version('v2', this.definition.schema, this.definition.version ?? {}), ...paths];
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: this.name },
      spec: { group: this.group, scope: 'Namespaced', names: { plural: this.plural, kind: 'Thing' }, versions },
    };
  }

  async open(): Promise<void> {
    const made = await call('POST', DEFINITIONS, JSON_TYPE, this.body());
    if (made.code !== 201) throw new Error(JSON.stringify(made.body));
    for (;;) {
      const { code } = await call('GET', this.path('v2'), JSON_TYPE).catch(() => ({ code: 404 }));
      if (code === 200) return;
      await pause();
    }
  }

  async close(): Promise<void> {
    await call('DELETE', `${DEFINITIONS}/${this.name}`, JSON_TYPE);
    // The next definition has a kind of the same name.
    while ((await call('GET', `${DEFINITIONS}/${this.name}`, JSON_TYPE)).code === 200) await pause();
  }

  async create(sent: Body): Promise<Body> {
    return answerOf(await call('POST', `${this.path('v2')}?dryRun=All`, JSON_TYPE, this.object('v2', 'x', sent)));
  }

  async store(name: string, old: Body): Promise<void> {
    const { code, body } = await call('POST', this.path('v1'), JSON_TYPE, this.object('v1', name, old));
    if (code !== 201) throw new Error(JSON.stringify(body));
  }

  async update(name: string, sent: Body): Promise<Body> {
    const path = `${this.path('v2')}/${name}`;
    const { body } = await call('GET', path, JSON_TYPE);
    const resourceVersion = isBody(body['metadata']) ? (body['metadata']['resourceVersion'] ?? null) : null;
    return answerOf(await call('PUT', `${path}?dryRun=All`, JSON_TYPE, this.object('v2', name, sent, { resourceVersion })));
  }

  async step(name: string, { by, apply, update, force }: Sequence[number]): Promise<Body> {
    const path = `${this.path('v2')}/${name}`;
    const query = `?fieldManager=${by}${force === undefined ? '' : '&force=true'}`;
    if (apply !== undefined) return ownedOf(await call('PATCH', `${path}${query}`, APPLY_TYPE, this.object('v2', name, apply)));
    const { code, body } = await call('GET', path, JSON_TYPE);
    if (code === 404) return ownedOf(await call('POST', `${this.path('v2')}${query}`, JSON_TYPE, this.object('v2', name, update ?? {})));
    const resourceVersion = isBody(body['metadata']) ? (body['metadata']['resourceVersion'] ?? null) : null;
    return ownedOf(await call('PUT', `${path}${query}`, JSON_TYPE, this.object('v2', name, update ?? {}, { resourceVersion })));
  }

  private object(version: string, name: string, sent: Body, metadata: Body = {}): Body {
    const given = sent['metadata'];
    return {
      apiVersion: `${this.group}/${version}`,
      kind: 'Thing',
      ...sent,
      metadata: { name, ...metadata, ...(isBody(given) ? given : {}) },
    };
  }

  private path(version: string): string {
    return `/apis/${this.group}/${version}/namespaces/default/${this.plural}`;
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));

const JSON_TYPE = 'application/json';
const APPLY_TYPE = 'application/apply-patch+yaml';
const NEW = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

/** Without what is new in every run. */
function answerOf(reply: Reply): Body {
  const { code, body, warnings } = reply;
  const said = warnings.length === 0 ? {} : { warnings: [...warnings] };
  const causes = causesOf(reply).map((cause) => cause.map(shortenPatterns));
  if (causes.length > 0) return { code, causes, ...said };
  if (code >= 400) return { code, message: body['message'] ?? '', ...said };
  const object = Object.fromEntries(Object.entries(body).filter(([member]) => member !== 'apiVersion' && member !== 'kind'));
  const metadata = isBody(object['metadata']) ? object['metadata'] : {};
  object['metadata'] = Object.fromEntries(Object.entries(metadata).filter(([member]) => !NEW.includes(member)));
  return { code, object, ...said };
}

/** With the sets of fields by manager and operation. */
function ownedOf(reply: Reply): Body {
  const metadata = isBody(reply.body['metadata']) ? reply.body['metadata'] : {};
  const entries = Array.isArray(metadata['managedFields']) ? metadata['managedFields'].filter(isBody) : [];
  const owned = Object.fromEntries(
    entries.map((entry) => [
      `${JSON.stringify(entry['manager'])} ${JSON.stringify(entry['operation'])}`.replaceAll('"', ''),
      entry['fieldsV1'] ?? null,
    ]),
  );
  return { ...answerOf(reply), ...(reply.code < 400 ? { owned } : {}) };
}

function expanded(body: Body): Body {
  const value: Json = expandBody(body);
  return isBody(value) ? value : {};
}

/** What a definition adds to its recording: a part of the head, by its title, and cases. */
interface Recorded {
  readonly head: Json;
  readonly cases: readonly Body[];
}

/** Writes and their answers. */
async function recordCases(site: Site, definition: Definition): Promise<Recorded> {
  const cases: Body[] = [];
  for (const sent of definition.creates ?? []) cases.push({ sent, answer: await site.create(expanded(sent)) });
  for (const [at, [old, sent]] of (definition.updates ?? []).entries()) {
    await site.store(`o${at}`, expanded(old));
    cases.push({ old, sent, answer: await site.update(`o${at}`, expanded(sent)) });
  }
  for (const [at, sequence] of (definition.sequences ?? []).entries()) {
    const steps: Json[] = [];
    for (const step of sequence) steps.push({ ...step, answer: await site.step(`s${at}`, step) });
    cases.push({ steps });
  }
  return { head: definition.schema, cases };
}

async function recordTable(site: Site, definition: Definition): Promise<Recorded> {
  const { tables = [], version } = definition;
  const { rows, ...table } = await site.rows(tables);
  const cells = Array.isArray(rows) ? rows : [];
  return {
    head: { columns: version?.['additionalPrinterColumns'] ?? null, ...table },
    cases: tables.map((sent, index) => ({ sent, cells: cells[index] ?? null })),
  };
}

/** A recording by its topic: what its head is, and the lines below. */
async function linesOf(topic: string): Promise<readonly Json[]> {
  const heads: Body = {};
  const lines: Json[] = [];
  for (const [index, [title, definition]] of Object.entries(TOPICS[topic] ?? {}).entries()) {
    const site = new Site(topic, index, definition);
    try {
      await site.open();
      const { schema, tables = [], documents, paths: wanted } = definition;
      if (documents !== undefined) {
        lines.push({ title, schema, documents: await site.documents() });
      } else if (wanted !== undefined) {
        const shown = Object.entries(await site.paths(tables)).map(([path, found]): Json => ({ path, shown: found }));
        lines.push({ tables: [...tables] }, ...shown);
      } else {
        const { head, cases } = await (tables.length > 0 ? recordTable : recordCases)(site, definition);
        heads[title] = head;
        lines.push(...cases.map((made): Json => ({ definition: title, ...made })));
      }
    } finally {
      await site.close();
    }
  }
  if (Object.keys(heads).length === 0) return lines;
  return [topic === 'columns' ? { definitions: heads } : { schemas: heads }, ...lines];
}

async function main(): Promise<void> {
  const topic = process.argv[2] ?? '';
  if (TOPICS[topic] === undefined) throw new Error(`no topic ${topic}; there are ${Object.keys(TOPICS).join(', ')}`);
  writeRecording(`custom/${topic}`, await linesOf(topic));
  hangUp();
}

void main();
