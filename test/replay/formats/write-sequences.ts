/**
 * The lines of recorded sequences of writes of one object by several managers (format `write-sequences`), generated at
 * random. Names are in canonical spelling.
 */
import { anything, body, either, listOf, nullValue, number, oneOf, shape, text, boolean, type Checked } from '../shape';

/** `namespace` is that of namespaced objects. */
export const isSequenceHead = shape({ format: text, namespace: text });

const isStep = shape(
  {
    /** The type of a patch, or else the verb. */
    operation: oneOf('create', 'update', 'json', 'merge', 'strategic', 'apply', 'delete'),
    manager: text,
  },
  {
    subresource: oneOf('status'),
    force: oneOf(true),
    dryRun: oneOf(true),
    /** Absent for a deletion. */
    body: anything,
    /**
     * Absent where the server rejects the step for a rule of the kind, in which case players leave out the step.
     * Messages of validation are not recorded.
     */
    answer: shape({ status: number }, { message: text }),
  },
);
export type SequenceStep = Checked<typeof isStep>;

/** `resource` is the plural name; `object` is the object after the last step, `null` when it is deleted. */
export const isWriteSequence = shape(
  { name: text, resource: text, apiVersion: text, namespaced: boolean, steps: listOf(isStep) },
  { object: either(body, nullValue) },
);
export type WriteSequence = Checked<typeof isWriteSequence>;
