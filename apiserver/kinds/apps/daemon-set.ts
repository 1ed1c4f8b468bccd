/**
 * DaemonSet strategy: selector, template and update strategy. The template generation is a number in an annotation. The
 * client may choose its first value; afterwards the server increases it with every change of the template. Creating
 * pods is left to the controller.
 */
import { createFieldError, invalidShownValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoIntOrString } from '../../../shared/values/go-values';
import { equalJson, stringAt } from '../../../shared/values/json';
import { quote } from '../../../shared/values/text/quote';
import { badRequest } from '../../../shared/api/errors/status';
import type { Errors } from '../rules/checks';
import { intOrPercentValue, checkIntOrPercent, checkNotMoreThan100Percent, checkNonNegative } from '../rules/numbers';
import { checkPodTemplate } from '../core/pod-template/pod-template';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { validateStatusCounts, type StatusCountRules } from '../core/workload/status-counts';
import {
  checkAlwaysRestarts,
  checkSelectorMatchesTemplate,
  checkSelectorImmutable,
  checkWorkloadSelector,
} from '../core/workload/workload-selector';
import { createTemplateWarnings } from '../core/workload/template-warnings';
import type {
  AppsV1DaemonSet,
  AppsV1DaemonSetSpec,
  AppsV1DaemonSetStatus,
  AppsV1DaemonSetUpdateStrategy,
  AppsV1RollingUpdateDaemonSet,
} from '../../../shared/api/types/generated/members';

const TEMPLATE_GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

const COUNTS: StatusCountRules<AppsV1DaemonSetStatus> = {
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

const podTemplateWarnings = createTemplateWarnings((object: AppsV1DaemonSet) => object.spec, 'spec');

export const daemonSet: Strategy<AppsV1DaemonSet> = {
  warningsOnCreate: podTemplateWarnings.warningsOnCreate,
  warningsOnUpdate: (object, old) =>
    templateGeneration(object) === templateGeneration(old) ? [] : podTemplateWarnings.warningsOnCreate(object),
  validate(object, old) {
    const errors: Errors = [];
    checkSpec(object.spec ?? {}, old?.spec, errors);
    return errors;
  },
  // An absent generation counts as 0 and is owned by the request's field manager (upstream behaviour).
  canonicalize: (object) => setTemplateGeneration(object, parseGeneration(templateGeneration(object) ?? '0')),
  prepareForCreate(object) {
    const generation = templateGeneration(object) ?? '1';
    setTemplateGeneration(object, BigInt(generation) < 1n ? '1' : generation);
  },
  // Upstream validates the whole object twice, which shows in the causes.
  update: {
    stages: UPDATE.objectThenChange,
    validate: validateUpdate,
    prepareForUpdate(object, old) {
      const oldGeneration = storedGeneration(old);
      const isSame = equalJson(object.spec?.template ?? null, old.spec?.template ?? null);
      setTemplateGeneration(object, isSame ? oldGeneration : String(BigInt(oldGeneration) + 1n));
    },
  },
  status: {
    prepareForUpdate: (object, old) => setTemplateGeneration(object, storedGeneration(old)),
    validate: (object, old) => validateStatusCounts(COUNTS, object.status, old.status),
  },
};

function validateUpdate(object: AppsV1DaemonSet, old: AppsV1DaemonSet): readonly FieldError[] {
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  const errors: Errors = [];
  checkSpec(spec, before, errors);
  checkSelectorImmutable(spec, before, errors);
  return errors;
}

function checkSpec(spec: AppsV1DaemonSetSpec, old: AppsV1DaemonSetSpec | undefined, errors: Errors): void {
  const { isValid, isEmpty } = checkWorkloadSelector(spec, 'daemonset', errors, { old, isRequired: false });
  const template = spec.template ?? {};
  if (isValid && !isEmpty) checkSelectorMatchesTemplate(spec, errors);
  checkPodTemplate(template, 'spec.template', errors);
  checkAlwaysRestarts(template, 'DaemonSet', errors);
  checkNonNegative(spec, 'minReadySeconds', 'spec', errors);
  checkStrategy(spec.updateStrategy ?? {}, errors);
  checkNonNegative(spec, 'revisionHistoryLimit', 'spec', errors);
}

const STRATEGY_FIELD = 'spec.updateStrategy';
const ROLLING_UPDATE_FIELD = `${STRATEGY_FIELD}.rollingUpdate`;

function checkStrategy({ type = '', rollingUpdate }: AppsV1DaemonSetUpdateStrategy, errors: Errors): void {
  switch (type) {
    case 'OnDelete':
      return;
    case 'RollingUpdate':
      checkRolling(rollingUpdate ?? {}, errors);
      return;
    default: {
      const shown = `apps.DaemonSetUpdateStrategy{Type:${quote(type)}, RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}`;
      errors.push(createFieldError('FieldValueNotSupported', STRATEGY_FIELD, shown, 'supported values: "RollingUpdate", "OnDelete"'));
    }
  }
}

/** Exactly one of `maxUnavailable` and `maxSurge` must be non-zero. */
function checkRolling(rolling: AppsV1RollingUpdateDaemonSet, errors: Errors): void {
  const { maxUnavailable, maxSurge } = rolling;
  checkIntOrPercent(rolling, 'maxUnavailable', ROLLING_UPDATE_FIELD, errors);
  checkIntOrPercent(rolling, 'maxSurge', ROLLING_UPDATE_FIELD, errors);
  const hasUnavailable = intOrPercentValue(maxUnavailable) !== 0;
  const hasSurge = intOrPercentValue(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    errors.push(
      invalidShownValue(
        `${ROLLING_UPDATE_FIELD}.maxSurge`,
        formatGoIntOrString(maxSurge),
        'may not be set when maxUnavailable is non-zero',
      ),
    );
  }
  if (!hasUnavailable && !hasSurge) errors.push(requiredValue(`${ROLLING_UPDATE_FIELD}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  checkNotMoreThan100Percent(maxUnavailable, `${ROLLING_UPDATE_FIELD}.maxUnavailable`, errors);
  checkNotMoreThan100Percent(maxSurge, `${ROLLING_UPDATE_FIELD}.maxSurge`, errors);
}

const templateGeneration = (object: AppsV1DaemonSet): string | undefined =>
  stringAt(object.metadata?.annotations, TEMPLATE_GENERATION_ANNOTATION);

/** An integer in canonical spelling. */
const INTEGER = /^-?\d+$/;
/** An integer as `strconv.ParseInt` accepts it. */
const SIGNED_INTEGER = /^[+-]?\d+$/;

/** The generation of a stored object; `1` when the stored text is not an integer, which older versions did not check. */
function storedGeneration(old: AppsV1DaemonSet): string {
  const text = templateGeneration(old) ?? '';
  return INTEGER.test(text) ? text : '1';
}

/** Parses a 64-bit integer into its canonical spelling; throws a 400 StatusError for anything else. */
function parseGeneration(text: string): string {
  const isInteger = SIGNED_INTEGER.test(text);
  const fitsIn64Bits = isInteger && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  if (fitsIn64Bits) return String(BigInt(text));
  const cause = `strconv.ParseInt: parsing ${quote(text)}: ${isInteger ? 'value out of range' : 'invalid syntax'}`;
  throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${cause}`);
}

function setTemplateGeneration(object: AppsV1DaemonSet, generation: string): void {
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION_ANNOTATION]: generation };
}
