/** The steps that ask others about an object: admission plug-ins, the authorizer, quotas. In a worker thread each of them is a message to the server's thread. */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { admissionRequest, type WriteRequest } from '../request';
import type { AdmittedAttempt, AttemptStart, DecodedAttempt, Reserved, StoredObject } from './attempt';
import { after, learn, type StepExecution } from './step';

const ADMITTING = 'About to check admission control';

/** mutatingAdmission: plug-ins may change the object in place. Asked once per attempt; throws what a plug-in refuses with, or StateChanged. */
export function mutatingAdmission<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): MaybePromise<A & AdmittedAttempt> {
  const { request, current, source, object, old } = attempt;
  if (source.verb === 'patch' || source.verb === 'apply') request.context.trace?.addEvent(ADMITTING);
  const admission = admissionRequest(request, old === undefined ? 'CREATE' : 'UPDATE', current, object, old);
  return after(deps.admission.mutate(admission), learn(attempt, { admission }));
}

/** mutatingAdmission, of a DELETE: there is no object to change. */
export function admitDeletion<A extends AttemptStart & StoredObject>(
  attempt: A,
  { deps }: StepExecution,
): MaybePromise<A & AdmittedAttempt> {
  const { request, current, old } = attempt;
  const admission = admissionRequest(asAdmitted(request, old), 'DELETE', current, undefined, old);
  return after(deps.admission.mutate(admission), learn(attempt, { admission }));
}

/** The preconditions that the server itself adds are shown to plug-ins as those of the request. */
export function asAdmitted(request: WriteRequest, old: JsonObject): WriteRequest {
  if (request.info.strategy.deletion?.asksForFound !== true) return request;
  const { options } = request;
  const uid = stringAt(readMetadata(old), 'uid') ?? '';
  return { ...request, options: { ...options, preconditions: { ...options.preconditions, uid } } };
}

/** authorizeCreate: an update or apply is about to create an object, which the user has to be allowed to do. Throws 403. */
export function authorizeCreate<A extends AttemptStart>(attempt: A): MaybePromise<A> {
  return whenResolved(attempt.request.context.creationRefusal?.(), (refusal) => {
    if (refusal !== undefined) throw refusal;
    return attempt;
  });
}

/** validatingAdmission: plug-ins see the object as it is going to be stored. Changes nothing; asked once per attempt; throws what a plug-in refuses with. */
export function validatingAdmission<A extends AdmittedAttempt & { readonly object?: JsonObject }>(
  attempt: A,
  { deps }: StepExecution,
): MaybePromise<A & AdmittedAttempt> {
  const { object } = attempt;
  const shown = attempt.admission.object === object ? attempt : learn(attempt, { admission: { ...attempt.admission, object } });
  return after(deps.admission.validate(shown.admission), shown);
}

/**
 * reserveQuota: keys that have to change with the object, in its own transaction. Called when nothing is wrong with the object; what is reserved is released
 * when the attempt fails. Throws 403.
 */
export function reserveQuota<A extends AdmittedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A & Reserved> {
  return whenResolved(execution.deps.admission.reserve(attempt.admission), (reservation) => {
    if (reservation !== undefined) execution.onFailure(() => reservation.over());
    return learn(attempt, { reservation });
  });
}
