/** Which list of steps a request takes, on the server's thread and in a worker thread alike. */
import type { MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { DeleteOptions, WriteOptions } from '../../verbs';
import type { Current } from '../guaranteed-update';
import type { WriteRequest } from '../request';
import type { ObjectSource, WriteOutcome } from '../steps/attempt';
import type { EditStart } from '../steps/edit';
import type { StepRunner } from '../steps/step';
import * as lists from './lists';

/** Runs the steps of one attempt on the given state. */
export type WritePlan = (current: Current, runner: StepRunner) => MaybePromise<WriteOutcome>;

/** `name`: the object's, which may have been generated. */
export const creation =
  (request: WriteRequest, name: string, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) =>
    lists.CREATE.run({ request, current, name, source, options }, runner);

/** A PUT or PATCH: it changes the stored object, or creates one where nothing is stored and its verb may do so. */
export const change =
  (request: WriteRequest, source: ObjectSource, options: WriteOptions): WritePlan =>
  (current, runner) => {
    const { name } = request;
    const list = current.entry === undefined ? listOfMissing(source) : listOf(request, source);
    const asked = current.entry === undefined ? { ...request, creates: 'instead' as const } : request;
    return list.run({ request: asked, current, name, source, options }, runner);
  };

const listOfMissing = ({ verb }: ObjectSource): typeof lists.CREATE => (verb === 'apply' ? lists.CREATE_ON_APPLY : lists.CREATE_ON_UPDATE);

function listOf({ subresource }: WriteRequest, { verb }: ObjectSource): typeof lists.CREATE {
  if (subresource === 'scale') return lists.APPLY_SUBRESOURCE;
  if (subresource === undefined) return verb === 'apply' ? lists.APPLY : lists.UPDATE;
  return verb === 'apply' ? lists.APPLY_SUBRESOURCE : lists.UPDATE_SUBRESOURCE;
}

export const deletion =
  (request: WriteRequest, options: DeleteOptions): WritePlan =>
  (current, runner) =>
    lists.DELETE.run({ request, current, options }, runner);

/** `uid`: of the object that the deletion has marked. */
export const finalDeletion =
  (request: WriteRequest, uid: string): WritePlan =>
  (current, runner) =>
    lists.FINAL_DELETE.run({ request, current, uid }, runner);

export const edit =
  (request: WriteRequest, edited: Omit<EditStart, 'current' | 'request'>): WritePlan =>
  (current, runner) =>
    lists.EDIT.run({ ...edited, request, current }, runner);
