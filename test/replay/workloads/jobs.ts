/** The Jobs that the recorded ones are made of. */
import type { Body } from '../reference';
import { LABELS, template } from './pods';

export const job = (members: Body): Body => ({ spec: { template: template({ restartPolicy: 'Never' }), ...members } });

/** With a selector of its own, so that what is put in its place can have the very same template. */
export const NEVER: Body = job({ manualSelector: true, selector: { matchLabels: LABELS } });

/** Who may be in charge of a Job. */
export const MANAGERS = [
  'acme.io/foo',
  'a',
  '',
  '/',
  '/x',
  'x/',
  'A/b c',
  'a.b/Bad Value!',
  'a/b/c',
  `a/${'x'.repeat(61)}`,
  `a/${'x'.repeat(62)}`,
];
