/** Objects of every kind, and what the reference server made of them at their creation; ids and times are masked. */
import { body, shape, text, type Check } from '../replay/shape';
import type { Body } from '../replay/reference';

/** To be recorded. */
export interface SentObject {
  readonly note: string;
  readonly sent: Body;
}

export interface CreatedObject extends SentObject {
  readonly created: Body;
}

export const isCreatedObject: Check<CreatedObject> = shape({ note: text, sent: body, created: body });

/** With an answer or without. */
export const isSentObject: Check<SentObject> = shape({ note: text, sent: body }, { created: body });
