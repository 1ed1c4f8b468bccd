/** DaemonSet: a Pod on every node, how new ones take the place of old ones, and the number of the template's versions, which stands in an annotation. */
import { fieldErrorAs, invalidAs, required, type FieldError } from '../../../shared/api/errors/field-error';
import { goIntOrString } from '../../../shared/values/go-values';
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import { quote } from '../../../shared/values/quote';
import { badRequest } from '../../../shared/api/errors/status';
import { amountAt, countOrShareErrors, negativeErrors, notMoreThanAll } from '../rules/field-rules';
import { podTemplateErrors } from '../core/pod-template/pod-template';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { countErrors, type CountRules } from '../core/workload/counts';
import { lastingErrors, mismatchErrors, selectorChangeErrors, selectorOf } from '../core/workload/selected-template';
import { templateWarnings } from '../core/workload/template-warnings';

const ANNOTATION = 'deprecated.daemonset.template.generation';

const COUNTS: CountRules = {
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
};

const ofTemplate = templateWarnings(['spec']);

export const daemonSet: Strategy = {
  warningsOnCreate: ofTemplate.warningsOnCreate,
  warningsOnUpdate: (object, old) => (templateGeneration(object) === templateGeneration(old) ? [] : ofTemplate.warningsOnCreate(object)),
  validate: (object, old) => specErrors(specOf(object), old === undefined ? undefined : specOf(old)),
  // Who leaves the number out has said 0, and owns it then (upstream behaviour).
  canonicalize: (object) => setTemplateGeneration(object, readGeneration(templateGeneration(object) ?? '0')),
  prepareForCreate(object) {
    const count = templateGeneration(object) ?? '1';
    setTemplateGeneration(object, BigInt(count) < 1n ? '1' : count);
  },
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: {
    stages: UPDATE.objectThenChange,
    validate: (object, old) => [...specErrors(specOf(object), specOf(old)), ...selectorChangeErrors(specOf(object), specOf(old))],
    prepareForUpdate(object, old) {
      const was = storedGeneration(old);
      setTemplateGeneration(object, equalJson(template(object), template(old)) ? was : String(BigInt(was) + 1n));
    },
  },
  status: {
    prepareForUpdate: (object, old) => setTemplateGeneration(object, storedGeneration(old)),
    validate: (object, old) => countErrors(COUNTS, object, old),
  },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function specErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const selector = selectorOf(spec, old, 'daemonset', false);
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...selector.errors,
    ...(selector.isReadable && !selector.isEmpty ? mismatchErrors(spec) : []),
    ...podTemplateErrors(template, 'spec.template'),
    ...lastingErrors(template, 'DaemonSet'),
    ...negativeErrors(spec, 'spec', ['minReadySeconds']),
    ...strategyErrors(objectAt(spec, 'updateStrategy') ?? {}),
    ...negativeErrors(spec, 'spec', ['revisionHistoryLimit']),
  ];
}

const STRATEGY = 'spec.updateStrategy';
const ROLLING = `${STRATEGY}.rollingUpdate`;
const BOUNDS = ['maxUnavailable', 'maxSurge'];

function strategyErrors(strategy: JsonObject): readonly FieldError[] {
  const type = stringAt(strategy, 'type') ?? '';
  switch (type) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rollingErrors(objectAt(strategy, 'rollingUpdate') ?? {});
    default: {
      const shown = `apps.DaemonSetUpdateStrategy{Type:${quote(type)}, RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}`;
      return [fieldErrorAs('FieldValueNotSupported', STRATEGY, shown, 'supported values: "RollingUpdate", "OnDelete"')];
    }
  }
}

/** A node has its Pod replaced before or after the old one ends, not both. */
function rollingErrors(rolling: JsonObject): readonly FieldError[] {
  const errors = BOUNDS.flatMap((member) => countOrShareErrors(rolling, member, ROLLING));
  const [after, before] = BOUNDS.map((member) => amountAt(rolling, member) !== 0);
  if (after === true && before === true) {
    errors.push(
      invalidAs(`${ROLLING}.maxSurge`, goIntOrString(own(rolling, 'maxSurge')), 'may not be set when maxUnavailable is non-zero'),
    );
  }
  if (after === false && before === false) errors.push(required(`${ROLLING}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return [...errors, ...BOUNDS.flatMap((member) => notMoreThanAll(rolling, member, ROLLING))];
}

function templateGeneration(object: JsonObject): string | undefined {
  return stringAt(objectAt(readMetadata(object), 'annotations') ?? {}, ANNOTATION);
}

/** What was stored before the number was read may be any text. */
function storedGeneration(old: JsonObject): string {
  const text = templateGeneration(old) ?? '';
  return /^-?\d+$/.test(text) ? text : '1';
}

/** A 64-bit number in its plain spelling; throws a 400 StatusError for anything else. */
function readGeneration(text: string): string {
  const isNumber = /^[+-]?\d+$/.test(text);
  if (isNumber && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return String(BigInt(text));
  const cause = `strconv.ParseInt: parsing ${quote(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
  throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${cause}`);
}

function template(object: JsonObject): JsonObject {
  const found = own(objectAt(object, 'spec') ?? {}, 'template');
  return { found: found ?? null };
}

function setTemplateGeneration(object: JsonObject, count: string): void {
  const metadata = metadataOf(object);
  metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [ANNOTATION]: count };
}
