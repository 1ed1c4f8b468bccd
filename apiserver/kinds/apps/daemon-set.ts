/** DaemonSet: a Pod on every node, how new ones take the place of old ones, and the number of the template's versions, which stands in an annotation. */
import { createFieldError, invalidShownValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoIntOrString } from '../../../shared/values/go-values';
import { equalJson, stringAt } from '../../../shared/values/json';
import { quote } from '../../../shared/values/quote';
import { badRequest } from '../../../shared/api/errors/status';
import type { Errors } from '../rules/checks';
import { amountOf, checkCountOrShare, checkNotMoreThanAll, checkNotNegative } from '../rules/numbers';
import { checkPodTemplate } from '../core/pod-template/pod-template';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { validateCounts, type CountRules } from '../core/workload/counts';
import { checkLasting, checkMatch, checkSelectorKept, checkWorkloadSelector } from '../core/workload/selected-template';
import { templateWarnings } from '../core/workload/template-warnings';
import type {
  AppsV1DaemonSet,
  AppsV1DaemonSetSpec,
  AppsV1DaemonSetStatus,
  AppsV1DaemonSetUpdateStrategy,
  AppsV1RollingUpdateDaemonSet,
} from '../../../shared/api/types/generated/members';

const ANNOTATION = 'deprecated.daemonset.template.generation';

const COUNTS: CountRules<AppsV1DaemonSetStatus> = {
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

const ofTemplate = templateWarnings((object: AppsV1DaemonSet) => object.spec, 'spec');

export const daemonSet: Strategy<AppsV1DaemonSet> = {
  warningsOnCreate: ofTemplate.warningsOnCreate,
  warningsOnUpdate: (object, old) => (templateGeneration(object) === templateGeneration(old) ? [] : ofTemplate.warningsOnCreate(object)),
  validate(object, old) {
    const errors: Errors = [];
    checkSpec(object.spec ?? {}, old?.spec, errors);
    return errors;
  },
  // Who leaves the number out has said 0, and owns it then (upstream behaviour).
  canonicalize: (object) => setTemplateGeneration(object, readGeneration(templateGeneration(object) ?? '0')),
  prepareForCreate(object) {
    const count = templateGeneration(object) ?? '1';
    setTemplateGeneration(object, BigInt(count) < 1n ? '1' : count);
  },
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: {
    stages: UPDATE.objectThenChange,
    validate: validateChange,
    prepareForUpdate(object, old) {
      const was = storedGeneration(old);
      const isSame = equalJson(object.spec?.template ?? null, old.spec?.template ?? null);
      setTemplateGeneration(object, isSame ? was : String(BigInt(was) + 1n));
    },
  },
  status: {
    prepareForUpdate: (object, old) => setTemplateGeneration(object, storedGeneration(old)),
    validate: (object, old) => validateCounts(COUNTS, object.status, old.status),
  },
};

function validateChange(object: AppsV1DaemonSet, old: AppsV1DaemonSet): readonly FieldError[] {
  const [spec, before] = [object.spec ?? {}, old.spec ?? {}];
  const errors: Errors = [];
  checkSpec(spec, before, errors);
  checkSelectorKept(spec, before, errors);
  return errors;
}

function checkSpec(spec: AppsV1DaemonSetSpec, old: AppsV1DaemonSetSpec | undefined, errors: Errors): void {
  const { isReadable, isEmpty } = checkWorkloadSelector(spec, 'daemonset', errors, { old, isRequired: false });
  const template = spec.template ?? {};
  if (isReadable && !isEmpty) checkMatch(spec, errors);
  checkPodTemplate(template, 'spec.template', errors);
  checkLasting(template, 'DaemonSet', errors);
  checkNotNegative(spec, 'minReadySeconds', 'spec', errors);
  checkStrategy(spec.updateStrategy ?? {}, errors);
  checkNotNegative(spec, 'revisionHistoryLimit', 'spec', errors);
}

const STRATEGY = 'spec.updateStrategy';
const ROLLING = `${STRATEGY}.rollingUpdate`;

function checkStrategy({ type = '', rollingUpdate }: AppsV1DaemonSetUpdateStrategy, errors: Errors): void {
  switch (type) {
    case 'OnDelete':
      return;
    case 'RollingUpdate':
      checkRolling(rollingUpdate ?? {}, errors);
      return;
    default: {
      const shown = `apps.DaemonSetUpdateStrategy{Type:${quote(type)}, RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}`;
      errors.push(createFieldError('FieldValueNotSupported', STRATEGY, shown, 'supported values: "RollingUpdate", "OnDelete"'));
    }
  }
}

/** A node has its Pod replaced before or after the old one ends, not both. */
function checkRolling(rolling: AppsV1RollingUpdateDaemonSet, errors: Errors): void {
  const { maxUnavailable, maxSurge } = rolling;
  checkCountOrShare(rolling, 'maxUnavailable', ROLLING, errors);
  checkCountOrShare(rolling, 'maxSurge', ROLLING, errors);
  const [after, before] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (after && before) {
    errors.push(invalidShownValue(`${ROLLING}.maxSurge`, formatGoIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero'));
  }
  if (!after && !before) errors.push(requiredValue(`${ROLLING}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  checkNotMoreThanAll(maxUnavailable, `${ROLLING}.maxUnavailable`, errors);
  checkNotMoreThanAll(maxSurge, `${ROLLING}.maxSurge`, errors);
}

const templateGeneration = (object: AppsV1DaemonSet): string | undefined => stringAt(object.metadata?.annotations, ANNOTATION);

/** What was stored before the number was read may be any text. */
function storedGeneration(old: AppsV1DaemonSet): string {
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

function setTemplateGeneration(object: AppsV1DaemonSet, count: string): void {
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: count };
}
