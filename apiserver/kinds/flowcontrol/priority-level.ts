/**
 * PriorityLevelConfiguration strategy: concurrency limits and queuing. The specs of the two mandatory ones are fixed,
 * except for `exempt` in the spec of the one with that name. Applying limits is left to apiserver/flow-control.
 */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { equalJson, ownMember, type JsonObject } from '../../../shared/values/json';
import { CONVERSION_ANNOTATIONS } from '../../../shared/names/dialect';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  FlowcontrolV1LimitedPriorityLevelConfiguration,
  FlowcontrolV1PriorityLevelConfiguration,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  FlowcontrolV1QueuingConfiguration,
} from '../../../shared/api/types/generated/members';
import type { Errors } from '../rules/checks';
import { EXEMPT, MANDATORY_PRIORITY_LEVELS } from './mandatory-objects';
import { validateConditions } from './conditions';

const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];
const MAX_QUEUES = 10_000_000;
/** Shuffle sharding chooses the queues of a flow (its hand) from one 64-bit hash of the flow. */
const MAX_ENTROPY_BITS = 60;

export const priorityLevelConfiguration: Strategy<FlowcontrolV1PriorityLevelConfiguration> = {
  validate,
  update: { stages: UPDATE.newMetadataThenChange, validate },
  status: { validate: validateConditions },
};

function validate(object: FlowcontrolV1PriorityLevelConfiguration): readonly FieldError[] {
  const errors: Errors = [...validateAnnotations(object)];
  const { spec = {} } = object;
  const name = object.metadata?.name ?? '';
  const type = spec.type ?? '';
  const isExemptName = name === EXEMPT;
  const isExemptType = type === 'Exempt';
  if (isExemptName !== isExemptType && TYPES.includes(type)) {
    errors.push(invalidValue('spec.type', type, `type must be 'Exempt' if and only if name is '${EXEMPT}'`));
  }
  const fixed = MANDATORY_PRIORITY_LEVELS.get(name);
  if (fixed !== undefined && !equalJson(fixedPart(name, spec), fixedPart(name, fixed))) {
    const exception = name === EXEMPT ? " except the 'spec.exempt' field" : '';
    errors.push(invalidValue('spec', spec, `spec of '${name}'${exception} must equal the fixed value`));
    return errors;
  }
  switch (type) {
    case 'Exempt':
      checkExempt(spec, errors);
      break;
    case 'Limited':
      if (spec.exempt !== undefined) errors.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'));
      if (spec.limited === undefined) errors.push(requiredValue('spec.limited', 'must not be empty when type is Limited'));
      else checkLimited(spec.limited, errors);
      break;
    default:
      errors.push(unsupportedValue('spec.type', type, TYPES));
  }
  return errors;
}

/** The annotation that carries zero shares in an older version must not be stored. */
function validateAnnotations(object: FlowcontrolV1PriorityLevelConfiguration): readonly FieldError[] {
  const annotations = object.metadata?.annotations;
  if (annotations === undefined) return [];
  return Object.values(CONVERSION_ANNOTATIONS)
    .filter(({ zeroShares }) => ownMember(annotations, zeroShares) !== undefined)
    .map(({ zeroShares }) => forbiddenField('metadata.annotations', `annotation '${zeroShares}' is forbidden`));
}

/** The part of a mandatory spec that must not change. */
function fixedPart(name: string, spec: FlowcontrolV1PriorityLevelConfigurationSpec): JsonObject {
  if (name !== EXEMPT) return spec;
  const { exempt: _, ...fixed } = spec;
  return fixed;
}

/** Members of both `spec.exempt` and `spec.limited`. */
interface ConcurrencyShares {
  readonly nominalConcurrencyShares?: number | null;
  readonly lendablePercent?: number;
}

function checkShares({ nominalConcurrencyShares: shares }: ConcurrencyShares, fieldPath: string, errors: Errors): void {
  if ((shares ?? 0) < 0) errors.push(invalidValue(`${fieldPath}.nominalConcurrencyShares`, shares ?? 0, 'must be a non-negative integer'));
}

function checkLending({ lendablePercent: percent = 0 }: ConcurrencyShares, fieldPath: string, errors: Errors): void {
  if (percent < 0 || percent > 100) {
    errors.push(invalidValue(`${fieldPath}.lendablePercent`, percent, 'must be between 0 and 100, inclusive'));
  }
}

function checkExempt({ exempt, limited }: FlowcontrolV1PriorityLevelConfigurationSpec, errors: Errors): void {
  if (exempt !== undefined) {
    checkShares(exempt, 'spec.exempt', errors);
    checkLending(exempt, 'spec.exempt', errors);
  }
  if (limited !== undefined) errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
}

function checkLimited(limited: FlowcontrolV1LimitedPriorityLevelConfiguration, errors: Errors): void {
  const fieldPath = 'spec.limited';
  checkShares(limited, fieldPath, errors);
  checkLimitResponse(limited, `${fieldPath}.limitResponse`, errors);
  checkLending(limited, fieldPath, errors);
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing !== undefined && borrowing < 0) {
    errors.push(invalidValue(`${fieldPath}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer'));
  }
}

function checkLimitResponse(
  { limitResponse = {} }: FlowcontrolV1LimitedPriorityLevelConfiguration,
  fieldPath: string,
  errors: Errors,
): void {
  const { type = '', queuing } = limitResponse;
  const field = `${fieldPath}.queuing`;
  switch (type) {
    case 'Reject':
      if (queuing !== undefined) errors.push(forbiddenField(field, 'must be nil if limited.limitResponse.type is not Limited'));
      break;
    case 'Queue':
      if (queuing === undefined) errors.push(requiredValue(field, 'must not be empty if limited.limitResponse.type is Limited'));
      else checkQueuing(queuing, field, errors);
      break;
    default:
      errors.push(unsupportedValue(`${fieldPath}.type`, type, RESPONSES));
  }
}

function checkQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: FlowcontrolV1QueuingConfiguration,
  fieldPath: string,
  errors: Errors,
): void {
  if (queueLengthLimit <= 0) errors.push(invalidValue(`${fieldPath}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalidValue(`${fieldPath}.queues`, queues, 'must be positive'));
  if (queues > MAX_QUEUES) errors.push(invalidValue(`${fieldPath}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  const field = `${fieldPath}.handSize`;
  if (handSize <= 0) errors.push(invalidValue(field, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalidValue(field, handSize, `should not be greater than queues (${queues})`));
  else if (entropyBits(queues, handSize) > MAX_ENTROPY_BITS) {
    const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_ENTROPY_BITS}`;
    errors.push(invalidValue(field, handSize, text));
  }
}

/**
 * How many bits of a hash it takes to choose any hand of a deck. Counts hands with repeated cards too, so the result is
 * somewhat too large (upstream behaviour).
 */
const entropyBits = (deckSize: number, handSize: number): number => Math.ceil(Math.log2(deckSize) * handSize);
