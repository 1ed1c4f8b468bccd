/**
 * The lines of recorded sequences of writes of one object by several managers (format `write-sequences`), generated at
 * random. Names are in canonical spelling.
 */
import type { Body, Json } from '../json-response';
import { anything, body, either, listOf, nullValue, number, oneOf, shape, text, boolean, type Check } from '../shape';

export interface SequenceHead {
  readonly format: string;
  /** The namespace of namespaced objects. */
  readonly namespace: string;
}

export interface SequenceStep {
  /** The type of a patch, or else the verb. */
  readonly operation: 'create' | 'update' | 'json' | 'merge' | 'strategic' | 'apply' | 'delete';
  readonly subresource?: 'status';
  readonly manager: string;
  readonly force?: true;
  readonly dryRun?: true;
  /** Absent for a deletion. */
  readonly body?: Json;
  /**
   * Absent where the server rejects the step for a rule of the kind, in which case the step is omitted. Messages of
   * validation are not recorded.
   */
  readonly answer?: { readonly status: number; readonly message?: string };
}

export interface WriteSequence {
  readonly name: string;
  /** The plural name. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly steps: readonly SequenceStep[];
  /** The object after the last step; `null` when it is deleted. */
  readonly object?: Body | null;
}

export const isSequenceHead: Check<SequenceHead> = shape({ format: text, namespace: text });

const isStep: Check<SequenceStep> = shape(
  { operation: oneOf('create', 'update', 'json', 'merge', 'strategic', 'apply', 'delete'), manager: text },
  {
    subresource: oneOf('status'),
    force: oneOf(true),
    dryRun: oneOf(true),
    body: anything,
    answer: shape({ status: number }, { message: text }),
  },
);

export const isWriteSequence: Check<WriteSequence> = shape(
  { name: text, resource: text, apiVersion: text, namespaced: boolean, steps: listOf(isStep) },
  { object: either(body, nullValue) },
);
