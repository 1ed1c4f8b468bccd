/**
 * Chooses the step list of a request. A change of an absent object becomes a create, so the list follows from the state of
 * each attempt. Runs on the server's thread and in worker threads; what runs the steps is up to the StepRunner.
 */
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { DeleteOptions, WriteOptions } from '../../verbs';
import type { CurrentState } from '../guaranteed-update';
import type { WriteRequest } from '../request';
import type { ObjectSource, WriteOutcome } from '../steps/attempt';
import type { EditStart } from '../steps/edit';
import type { StepRunner } from '../steps/step';
import * as lists from './lists';

/** Runs the steps of one attempt on the given state. */
export type WritePlan = (current: CurrentState, runner: StepRunner) => MaybePromise<WriteOutcome>;

/** `name`: of the object; may be generated. */
export const planCreate =
  (request: WriteRequest, name: string, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) =>
    lists.CREATE.run({ request, current, name, source, options }, runner);

/** PUT or PATCH: changes the stored object, or creates an absent one if the verb allows it. */
export const planChange =
  (request: WriteRequest, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) => {
    const { name } = request;
    const list = current.entry === undefined ? listForAbsent(source) : listForExisting(request, source);
    const effectiveRequest = current.entry === undefined ? { ...request, isCreateOnUpdate: true as const } : request;
    return list.run({ request: effectiveRequest, current, name, source, options }, runner);
  };

const listForAbsent = ({ verb }: ObjectSource): typeof lists.CREATE => (verb === 'apply' ? lists.CREATE_ON_APPLY : lists.CREATE_ON_UPDATE);

function listForExisting({ subresource }: WriteRequest, { verb }: ObjectSource): typeof lists.CREATE {
  if (subresource === 'scale') return lists.APPLY_SUBRESOURCE;
  if (subresource === undefined) return verb === 'apply' ? lists.APPLY : lists.UPDATE;
  return verb === 'apply' ? lists.APPLY_SUBRESOURCE : lists.UPDATE_SUBRESOURCE;
}

export const planDelete =
  (request: WriteRequest, options: DeleteOptions): WritePlan =>
  (current, runner) =>
    lists.DELETE.run({ request, current, options }, runner);

/** `uid`: of the marked object. */
export const planFinalDelete =
  (request: WriteRequest, uid: string): WritePlan =>
  (current, runner) =>
    lists.FINAL_DELETE.run({ request, current, uid }, runner);

export const planEdit =
  (request: WriteRequest, editStart: Omit<EditStart, 'current' | 'request'>): WritePlan =>
  (current, runner) =>
    lists.EDIT.run({ ...editStart, request, current }, runner);
