/** The kinds of which nothing is stored: what is asked for by creating them, or shown without being kept; and the bodies of subresources. */
import { REVIEWS } from './reviews';
import { rowsOf, type KindRow } from './row';

const core = rowsOf('', 'v1', 'core.v1');

export const BINDING: KindRow = core('Binding', 'bindings', { virtual: true, verbs: ['create'], answersStatus: true });

export const OPERATIONS: readonly KindRow[] = [BINDING, ...REVIEWS];
