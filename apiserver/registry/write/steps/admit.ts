/**
 * Steps that ask other components: admission plug-ins, the authorizer, quotas. In a worker thread each of them is a
 * call to the server's thread.
 */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../../../shared/values/json';
import { uidIn } from '../preconditions';
import { admissionRequest, type WriteRequest } from '../request';
import type { AdmittedAttempt, AttemptStart, DecodedAttempt, ReservedAttempt, StoredObject } from './attempt';
import { whenDone, addFacts, type StepExecution } from './step';

const ADMISSION_EVENT = 'About to check admission control';

/**
 * mutatingAdmission: plug-ins may change the object in place. Runs once per attempt. Throws the rejection of a
 * plug-in, or StateChanged.
 */
export function mutatingAdmission<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): MaybePromise<A & AdmittedAttempt> {
  const { request, current, source, object, old } = attempt;
  if (source.verb === 'patch' || source.verb === 'apply') request.context.trace?.addEvent(ADMISSION_EVENT);
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const admission = admissionRequest(request, { operation, current, object, oldObject: old });
  return whenDone(deps.admission.mutate(admission), addFacts(attempt, { admission }));
}

/** mutatingAdmission of a DELETE, which has no object to change. */
export function admitDeletion<A extends AttemptStart & StoredObject>(
  attempt: A,
  { deps }: StepExecution,
): MaybePromise<A & AdmittedAttempt> {
  const { request, current, old } = attempt;
  const state = { operation: 'DELETE', current, object: undefined, oldObject: old } as const;
  const admission = admissionRequest(withServerPreconditions(request, old), state);
  return whenDone(deps.admission.mutate(admission), addFacts(attempt, { admission }));
}

/** Adds preconditions of the server to those of the request, for plug-ins. */
export function withServerPreconditions(request: WriteRequest, old: JsonObject): WriteRequest {
  if (request.info.strategy.deletion?.addsUidPrecondition !== true) return request;
  const { options } = request;
  const uid = uidIn(readMetadata(old));
  return { ...request, options: { ...options, preconditions: { ...options.preconditions, uid } } };
}

/** authorizeCreate: checks that the user may create the object that an update or apply creates. Throws 403. */
export function authorizeCreate<A extends AttemptStart>(attempt: A): MaybePromise<A> {
  return whenResolved(attempt.request.context.authorizeCreate?.(), (refusal) => {
    if (refusal !== undefined) throw refusal;
    return attempt;
  });
}

/**
 * validatingAdmission: plug-ins see the object as it is going to be stored, apart from conversion by a webhook and from
 * `applyStoredDefaults`, and must not change it. Runs once per attempt. Throws the rejection of a plug-in.
 */
export function validatingAdmission<A extends AdmittedAttempt & { readonly object?: JsonObject }>(
  attempt: A,
  { deps }: StepExecution,
): MaybePromise<A & AdmittedAttempt> {
  const { object } = attempt;
  const admitted = attempt.admission.object === object ? attempt : addFacts(attempt, { admission: { ...attempt.admission, object } });
  return whenDone(deps.admission.validate(admitted.admission), admitted);
}

/**
 * reserveQuota: reserves keys that are written in the transaction of the object. Runs after validation and validating
 * admission; the reservation is released when the attempt fails. Throws 403.
 */
export function reserveQuota<A extends AdmittedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A & ReservedAttempt> {
  return whenResolved(execution.deps.admission.reserve(attempt.admission), (reservation) => {
    if (reservation !== undefined) execution.onFailure(() => reservation.complete());
    return addFacts(attempt, { reservation });
  });
}
