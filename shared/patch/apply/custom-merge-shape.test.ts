/** Replays sequences of applies and updates of custom resources that were recorded from release 1.31 (custom/applying). */
import { readRecording } from '../../../test/replay/recording';
import { body as anObject, listOf, number, oneOf, shape, text, type Check } from '../../../test/replay/shape';
import { rejectsOwnNull } from '../../../test/support/deviations/validation-deviations';
import { isCustomResourcesHead } from '../../../test/replay/formats/recorded-custom-resources';
import { decodeCustom } from '../../api/structural/decode-custom';
import { applySchemaDefaults, dropNulls } from '../../api/structural/defaults';
import { pruneUnknown } from '../../api/structural/prune';
import { readSchema } from '../../api/structural/read-schema';
import type { SchemaNode } from '../../api/structural/schema-node';
import { validateSchema } from '../../api/structural/validation/validate';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { ApplyConflict, applyConfiguration } from './apply';
import { customMergeShape } from './custom-merge-shape';
import type { FieldSet } from './field-set';
import type { FieldManager, ManagedObject } from './managed-fields';
import { recordUpdate, type VersionViews, type VersionView } from './record-update';
import { shapeErrors } from './typed';

/** A step of a recorded sequence (custom/applying). */
interface Step {
  readonly by: string;
  readonly apply?: JsonObject;
  readonly update?: JsonObject;
  readonly force?: true;
  readonly answer: {
    readonly code: number;
    readonly message?: string;
    /** Causes of a rejection: field, reason, message. */
    readonly causes?: readonly (readonly string[])[];
    readonly object?: JsonObject;
    /** The field set of each entry in managedFields, by its manager and operation: `m Apply`. */
    readonly owned?: JsonObject;
  };
}

const isStep: Check<Step> = shape(
  {
    by: text,
    answer: shape(
      { code: number },
      { message: text, causes: listOf(listOf(text)), warnings: listOf(text), object: anObject, owned: anObject },
    ),
  },
  { apply: anObject, update: anObject, force: oneOf(true) },
);

const API_VERSION = 'applying.schema.example.com/v2';
const NOW = '2026-01-02T03:04:05Z';
const NOTHING: ManagedObject = { object: { metadata: {} }, entries: [] };
/** Metadata that the server sets. */
const SERVER_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'generation'];

function viewsOf(node: SchemaNode, resets: FieldSet): VersionViews {
  const same = (object: JsonObject): JsonObject => object;
  const view: VersionView = { shape: customMergeShape(node), resets, toVersion: same, fromVersion: same };
  return { served: view, viewOf: (apiVersion) => (apiVersion === API_VERSION ? view : undefined) };
}

/** The object with the recorded members, which leave out its type and name. */
const completeObject = (name: string, members: JsonObject): JsonObject => {
  const metadata = members['metadata'];
  return { apiVersion: API_VERSION, kind: 'Thing', ...members, metadata: { name, ...(isObject(metadata) ? metadata : {}) } };
};

interface CustomResource {
  readonly node: SchemaNode;
  readonly views: VersionViews;
  readonly name: string;
}

/**
 * Runs a step. Returns the new state, the message of a configuration that does not fit the shape, or the causes of a
 * conflict or of failed validation as `field: message`.
 */
function runStep({ node, views, name }: CustomResource, before: ManagedObject, step: Step): ManagedObject | string | string[] {
  const manager = (operation: FieldManager['operation']): FieldManager => ({
    name: step.by,
    operation,
    apiVersion: API_VERSION,
    subresource: '',
  });
  if (step.update !== undefined) {
    const { object } = decodeCustom(node, completeObject(name, step.update));
    applySchemaDefaults(node, object);
    return { object, entries: recordUpdate(before, object, { views, manager: manager('Update'), now: NOW }) };
  }
  const config = completeObject(name, step.apply ?? {});
  const [shapeError] = shapeErrors(views.served.shape, config);
  if (shapeError !== undefined) return `failed to create typed patch object (/${name}; ${API_VERSION}, Kind=Thing): ${shapeError}`;
  try {
    const options = { views, manager: manager('Apply'), force: step.force ?? false, now: NOW };
    const { object, entries } = applyConfiguration(before, config, options);
    applySchemaDefaults(node, object);
    pruneUnknown(node, object);
    const errors = validateSchema(node, object, before === NOTHING ? undefined : before.object);
    if (errors.length > 0) return errors.map(({ text }) => text);
    dropNulls(node, object);
    return { object, entries };
  } catch (error) {
    if (error instanceof ApplyConflict) return error.causes.map(({ message, field }) => `${field}: ${message}`);
    throw error;
  }
}

/** The state as it is recorded: without the members that every object has. */
function summaryOf({ object, entries }: ManagedObject): JsonValue {
  const { apiVersion: _apiVersion, kind: _kind, status: _status, metadata, ...members } = object;
  const userMetadata = Object.entries(isObject(metadata) ? metadata : {}).filter(([member]) => !SERVER_METADATA.includes(member));
  const owned = Object.fromEntries(entries.map(({ manager, fields }) => [`${manager.name} ${manager.operation}`, fields]));
  return { object: { ...members, metadata: Object.fromEntries(userMetadata) }, owned };
}

const { head, cases } = readRecording('custom/applying', isCustomResourcesHead, shape({ definition: text, steps: listOf(isStep) }));

for (const [title, schema] of Object.entries(head.schemas)) {
  const node = readSchema(schema);
  const views = viewsOf(node, title === 'shapes' ? { 'f:status': {} } : {});
  describe(`server-side apply to the custom resource ${title}`, () => {
    test.each(
      cases
        .filter(({ definition }) => definition === title)
        .map(
          ({ steps }, index) => [JSON.stringify(steps.map(({ apply, update }) => apply ?? update)).slice(0, 150), index, steps] as const,
        ),
    )('gives the recorded results for the steps %s', (_text, index, steps) => {
      let state = NOTHING;
      for (const step of steps) {
        const { answer } = step;
        const result = runStep({ node, views, name: `s${index}` }, state, step);
        if (typeof result === 'string') expect(result).toBe(answer.message);
        else if (Array.isArray(result)) expect(result).toEqual(answer.causes?.map(([field, _reason, message]) => `${field}: ${message}`));
        else if (rejectsOwnNull(step.apply, answer.causes)) {
          // The following steps were recorded without the effect of this one.
          expect(JSON.stringify(result.object)).not.toContain('null');
        } else {
          expect(summaryOf(result)).toEqual({ object: answer.object, owned: answer.owned });
          state = result;
        }
      }
    });
  });
}
