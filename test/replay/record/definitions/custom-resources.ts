/**
 * Drivers of recordings about custom resources: writes of objects (`custom-resources`), rows of tables
 * (`custom-columns`), values of JSONPath columns (`custom-paths`) and schemas in OpenAPI documents
 * (`custom-documents`). Creations and updates are dry runs; sequences of writes are stored.
 */
import { shortenPatterns } from '../../normalize/normalize-response';
import { expandBody } from '../../formats/request-body';
import { systemClock } from '../../../../shared/runtime/clock';
import { TIME_PATTERN } from '../../normalize/volatile-patterns';
import { readRecording } from '../../recording';
import { causesOf, membersOf, metadataOf, objectsIn, textOf, type Body, type Json, type JsonResponse } from '../../json-response';
import { anything, body, either, listOf, mapOf, nullValue, oneOf, shape, text } from '../../shape';
import { ANY_OBJECT, CustomDefinition, definitionVersion, type ManagedWrite } from './custom-definition';
import { withRecordedOrder } from '../recorded-order';
import type { ReferenceServer } from '../reference-server';

/** Metadata that differs from run to run. */
const GENERATED = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

const isResourcesHead = shape({ format: text, schemas: mapOf(body) }, { versions: mapOf(body) });
const isWrite = shape({ by: text }, { apply: body, update: body, force: oneOf(true), answer: body });
const isResourcesCase = shape({ definition: text }, { old: body, sent: body, steps: listOf(isWrite), answer: body });
type RecordedWrite = ManagedWrite & Readonly<{ answer?: Body }>;
type ResourcesCase = Readonly<{ old?: Body; sent?: Body; steps?: readonly RecordedWrite[]; answer?: Body }>;

/** Each case is a write under one definition of the head. `versions` of the head are further members of the definitions' version v2. */
export async function recordCustomResources(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isResourcesHead, isResourcesCase);
  const lines: unknown[] = [head];
  for (const [index, [title, schema]] of Object.entries(head.schemas).entries()) {
    const version = definitionVersion('v2', schema, head.versions?.[title]);
    const definition = new CustomDefinition(server, topicOf(recording), index, [version]);
    const own = cases.filter((line) => line.definition === title);
    await definition.during(async () => {
      for (const [position, line] of own.entries()) lines.push({ ...line, ...(await recordCase(definition, line, position)) });
    });
  }
  return lines;
}

/** The members of a case that are recorded. `position` is that of the case, and makes names of objects unique. */
async function recordCase(
  definition: CustomDefinition,
  { old, sent = {}, steps, answer: previous }: ResourcesCase,
  position: number,
): Promise<object> {
  if (steps !== undefined) {
    const recordedSteps: object[] = [];
    for (const step of steps) {
      const reply = await definition.write(`s${position}`, step);
      recordedSteps.push({ ...step, answer: withRecordedOrder(withFieldSets(reply), step.answer) });
    }
    return { steps: recordedSteps };
  }
  if (old === undefined) return { answer: withRecordedOrder(recordedPartOf(await definition.create(expanded(sent))), previous) };
  await definition.store(`o${position}`, expanded(old));
  return { answer: withRecordedOrder(recordedPartOf(await definition.update(`o${position}`, expanded(sent))), previous) };
}

const isColumnsHead = shape({
  format: text,
  definitions: mapOf(shape({ columns: either(listOf(body), nullValue) }, { at: text, columnDefinitions: listOf(body) })),
});
const isColumnsCase = shape({ definition: text, sent: body }, { cells: listOf(anything) });

/**
 * The head holds the columns of each definition, the columns that the server derived from them, and the time at which
 * objects are recorded to be created.
 */
export async function recordCustomColumns(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isColumnsHead, isColumnsCase);
  const definitions: Body = {};
  const lines: unknown[] = [];
  for (const [index, [title, { columns, at: recordedAt }]] of Object.entries(head.definitions).entries()) {
    const more: Body = columns === null ? {} : { additionalPrinterColumns: [...columns] };
    const definition = new CustomDefinition(server, topicOf(recording), index, [definitionVersion('v2', ANY_OBJECT, more)]);
    const own = cases.filter((line) => line.definition === title);
    const start = systemClock.now();
    const createdAt = recordedAt ?? new Date(start).toISOString();
    await definition.during(async () => {
      for (const [position, { sent }] of own.entries()) await definition.store(`t${position}`, sent);
      const table = await definition.table('v2');
      definitions[title] = { columns: columns === null ? null : [...columns], at: createdAt, columnDefinitions: table.columns };
      for (const [position, line] of own.entries()) {
        const cells = (table.rows[position] ?? []).map((cell, column) => withRecordedTime(cell, line.cells?.[column], start, createdAt));
        lines.push({ ...line, cells });
      }
    });
  }
  return [{ ...head, definitions }, ...lines];
}

/** The age of an object that was created during the recording. */
const AGE = /^\d{1,2}s$/;

/** Replaces a time since the start of the recording by the recorded one, and an age by the recorded age. */
function withRecordedTime(cell: Json, recorded: Json | undefined, startMs: number, createdAt: string): Json {
  if (typeof cell !== 'string') return cell;
  if (AGE.test(cell) && typeof recorded === 'string' && AGE.test(recorded)) return recorded;
  const recordedTime = `${createdAt.slice(0, 19)}Z`;
  // Times have whole seconds.
  return cell.replace(TIME_PATTERN, (time) => (Date.parse(time) >= startMs - 1000 ? recordedTime : time));
}

const isPathsHead = shape({ format: text, tables: listOf(body) });
const isPathsCase = shape({ path: text }, { shown: anything });

/** Each path is the only column of a version of its own. The server omits the cell of a path that it cannot parse. */
export async function recordCustomPaths(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isPathsHead, isPathsCase);
  const versions = cases.map(({ path: jsonPath }, index) =>
    definitionVersion(`p${index}`, ANY_OBJECT, { additionalPrinterColumns: [{ name: 'Path', type: 'string', jsonPath }] }),
  );
  const definition = new CustomDefinition(server, topicOf(recording), 0, [definitionVersion('v2', ANY_OBJECT), ...versions]);
  return definition.during(async () => {
    for (const [index, sent] of head.tables.entries()) await definition.store(`t${index}`, sent);
    const lines: unknown[] = [head];
    for (const [index, line] of cases.entries()) {
      const { rows } = await definition.table(`p${index}`);
      const isReadable = rows.every((cells) => cells.length > 1);
      lines.push({ ...line, shown: isReadable ? rows.map((cells) => cells[1] ?? null) : 'unreadable' });
    }
    return lines;
  });
}

const isDocumentsCase = shape({ title: text, schema: body }, { documents: body });

/** Each line is a schema, recorded with the one that the OpenAPI documents of both versions have for it. */
export async function recordCustomDocuments(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, body, isDocumentsCase);
  const lines: unknown[] = [head];
  for (const [index, line] of cases.entries()) {
    const definition = new CustomDefinition(server, topicOf(recording), index, [definitionVersion('v2', line.schema)]);
    await definition.during(async () => {
      lines.push({ ...line, documents: withRecordedOrder(await definition.schemas(), line.documents) });
    });
  }
  return lines;
}

/** `custom/applying` → `applying`, which the group of its definitions begins with. */
function topicOf(recording: string): string {
  return recording.split('/').pop() ?? recording;
}

const expanded = (sent: Body): Body => membersOf(expandBody(sent));

/** The causes of a rejection, or its message when it has none; or the object. */
function recordedPartOf(reply: JsonResponse): Body {
  const { code, body: responseBody, warnings } = reply;
  const warned = warnings.length === 0 ? {} : { warnings: [...warnings] };
  const causes = causesOf(reply).map((cause) => cause.map(shortenPatterns));
  if (causes.length > 0) return { code, causes, ...warned };
  if (code >= 400) return { code, message: responseBody['message'] ?? '', ...warned };
  const object = Object.fromEntries(Object.entries(responseBody).filter(([member]) => member !== 'apiVersion' && member !== 'kind'));
  object['metadata'] = Object.fromEntries(Object.entries(metadataOf(object)).filter(([member]) => !GENERATED.includes(member)));
  return { code, object, ...warned };
}

/** The recorded part of a response with the field sets by manager and operation. */
function withFieldSets(reply: JsonResponse): Body {
  if (reply.code >= 400) return recordedPartOf(reply);
  const entries = objectsIn(metadataOf(reply.body)['managedFields']);
  const owned = Object.fromEntries(
    entries.map(({ manager, operation, fieldsV1 }) => [`${textOf(manager)} ${textOf(operation)}`, fieldsV1 ?? null]),
  );
  return { ...recordedPartOf(reply), owned };
}
