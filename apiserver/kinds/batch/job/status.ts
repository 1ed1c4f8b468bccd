/** What a Job may say of itself: counts, Pods that are not counted yet, and conditions that exclude each other. */
import { duplicate, invalidAs, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../../shared/values/json';
import { listed, negativeErrors } from '../../rules/field-rules';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
/** What a Job whose success is certain cannot become. */
const EXCLUDED = ['Failed', 'FailureTarget'];

export function jobStatusErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [status, before] = [objectAt(object, 'status') ?? {}, objectAt(old, 'status') ?? {}];
  return [
    ...negativeErrors(status, 'status', COUNTS),
    ...uncountedErrors(objectAt(status, 'uncountedTerminatedPods') ?? {}),
    ...conditionErrors(status, before),
  ];
}

function uncountedErrors(uncounted: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((member) =>
    stringsAt(uncounted, member).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${member}[${index}]`;
      const again = seen.has(uid);
      if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
      seen.add(uid);
      return again ? [duplicate(field, uid)] : [];
    }),
  );
}

function conditionErrors(status: JsonObject, old: JsonObject): readonly FieldError[] {
  const refused = (text: string): FieldError => invalidAs('status.conditions', '', text);
  if (!holds(status, 'SuccessCriteriaMet')) {
    return holds(old, 'SuccessCriteriaMet') ? [refused('cannot disable the SuccessCriteriaMet=True condition')] : [];
  }
  return EXCLUDED.filter((type) => holds(status, type)).map((type) =>
    refused(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`),
  );
}

const holds = (status: JsonObject, type: string): boolean =>
  listed(status, 'conditions').some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === 'True');
