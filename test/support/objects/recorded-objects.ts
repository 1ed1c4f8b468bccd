/** Recorded objects of every kind as the server created them (`objects/created`), with masked ids and times. */
import { readRecording } from '../../replay/recording';
import type { Body } from '../../replay/json-response';
import { body, shape, text, type Check } from '../../replay/shape';

/** A case of the recording: a title and the body of the creation. */
export interface SentObject {
  readonly note: string;
  readonly sent: Body;
}

/** Such a case with the body of the response. */
export interface CreatedObject extends SentObject {
  readonly created: Body;
}

/** `namespace` is where namespaced objects are created. */
export const isObjectsHead = shape({ format: text, namespace: text });

const isCreatedObject: Check<CreatedObject> = shape({ note: text, sent: body, created: body });

/** A line without `created` is not recorded yet. */
export const isSentObject: Check<SentObject> = shape({ note: text, sent: body }, { created: body });

export const createdObjects = (): readonly CreatedObject[] => readRecording('objects/created', isObjectsHead, isCreatedObject).cases;
