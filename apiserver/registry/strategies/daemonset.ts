/** DaemonSet: a Pod on every node, how new ones take the place of old ones, and the number of the template's versions, which stands in an annotation. */
import { fieldErrorAs, invalidAs, required, type FieldError } from '../../../shared/api/field-error';
import { goIntOrString } from '../../../shared/api/go-values';
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import { quote } from '../../../shared/api/quote';
import { amountAt, countOrShareErrors, negativeErrors, notMoreThanAll } from './field-rules';
import { podTemplateErrors } from './pod-template/pod-template';
import type { Strategy } from './strategy';
import { countErrors, type CountRules } from './workload/counts';
import { lastingErrors, mismatchErrors, selectorChangeErrors, selectorOf } from './workload/selected-template';
import { templateWarnings } from './workload/template-warnings';

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
  warnings: (object, old) =>
    old !== undefined && templateGeneration(object) === templateGeneration(old) ? [] : ofTemplate(object, undefined),
  validate: (object, _context, old) => specErrors(specOf(object), old === undefined ? undefined : specOf(old)),
  // Who leaves the number out has said 0, and owns it then (upstream behaviour).
  mirror: (object) => setTemplateGeneration(object, templateGeneration(object) ?? '0'),
  prepareForCreate: (object) => setTemplateGeneration(object, String(Math.max(1, Number(templateGeneration(object) ?? '1')))),
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: {
    state: 'first',
    validate: (object, old) => [...specErrors(specOf(object), specOf(old)), ...selectorChangeErrors(specOf(object), specOf(old))],
    prepare(object, old) {
      const was = templateGeneration(old) ?? '1';
      setTemplateGeneration(object, equalJson(template(object), template(old)) ? was : String(Number(was) + 1));
    },
  },
  status: {
    prepare: (object, old) => setTemplateGeneration(object, templateGeneration(old) ?? '1'),
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
    ...podTemplateErrors(template, 'spec.template', objectAt(old, 'template')),
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

function template(object: JsonObject): JsonObject {
  const found = own(objectAt(object, 'spec') ?? {}, 'template');
  return { found: found ?? null };
}

function setTemplateGeneration(object: JsonObject, count: string): void {
  const metadata = metadataOf(object);
  metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [ANNOTATION]: count };
}
