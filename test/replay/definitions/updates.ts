/** What may be put in the place of a stored CustomResourceDefinition, and into its status. */
import type { Body } from '../reference';
import {
  client,
  column,
  conversion,
  definition,
  names,
  NAMES,
  property,
  schema,
  second,
  STORAGE,
  stored,
  version,
  versions,
} from './cases';

const REFUSAL: Body = { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"ThingList" is already in use' };
const ACCEPTANCE: Body = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
const DONE: Body = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_DONE: Body = { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };

/** What the reference's controllers have made of a status before the update. */
export const SETTLED: Readonly<Record<'accepted' | 'refused', Body>> = {
  accepted: {
    conditions: [ACCEPTANCE, DONE],
    acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
  },
  refused: { conditions: [REFUSAL, NOT_DONE], acceptedNames: { plural: 'things', singular: 'thing', kind: '' } },
};

export interface Update {
  /** What is stored before. */
  readonly old: Body;
  readonly body: Body;
  /** Goes to the status endpoint. */
  readonly status?: true;
  /** What is stored could not take its names. */
  readonly refused?: true;
}

const BASE = definition();
const TWO = versions(STORAGE, version('v2'));
const change = (old: Body, body: Body): Update => ({ old, body });
const refused = (body: Body): Update => ({ old: BASE, body, refused: true });

const IMMUTABLE: Record<string, Update> = {
  'nothing changes': change(BASE, BASE),
  'another scope': change(BASE, definition({ scope: 'Cluster' })),
  'another kind': change(BASE, names({ kind: 'Other' })),
  'another kind, the list kind stays': change(BASE, names({ kind: 'Other', listKind: 'ThingList' })),
  'another list kind': change(BASE, names({ listKind: 'Others' })),
  'another singular': change(BASE, names({ singular: 'other' })),
  'other short names': change(BASE, names({ shortNames: ['t'], categories: ['all'] })),
  'another plural': change(BASE, definition({ names: { ...NAMES, plural: 'others' } })),
  'another group': change(BASE, definition({ group: 'other.example.com' })),
  'everything else': change(BASE, definition({ group: 'other.example.com', scope: 'Cluster', names: { plural: 'others', kind: 'Other' } })),
  'everything bad': change(BASE, definition({ group: 'x', scope: 'y', names: { plural: 'Z', kind: '_' }, versions: [] })),
  'labels and annotations': change(BASE, definition({}, { labels: { a: 'b' }, annotations: { c: 'd' } })),
  'a bad label': change(BASE, definition({}, { labels: { 'a b': 'c' } })),
  'a bad label and a bad scope': change(BASE, definition({ scope: 'x' }, { labels: { 'a b': 'c' } })),
  'a finalizer': change(BASE, definition({}, { finalizers: ['a', 'b/c'] })),
};

const NOT_ESTABLISHED: Record<string, Update> = {
  'refused: nothing changes': refused(BASE),
  'refused: another scope': refused(definition({ scope: 'Cluster' })),
  'refused: another kind': refused(names({ kind: 'Other' })),
  'refused: another list kind': refused(names({ listKind: 'Others' })),
  'refused: another plural': refused(definition({ names: { ...NAMES, plural: 'others' } })),
  'refused: another group': refused(definition({ group: 'other.example.com' })),
  'refused: a bad scope': refused(definition({ scope: 'x' })),
};

const VERSIONS: Record<string, Update> = {
  'one more version': change(BASE, TWO),
  'one version less': change(TWO, BASE),
  'the stored version goes': change(TWO, versions(version('v2', { storage: true }))),
  'another version is stored': change(TWO, versions(version('v1'), version('v2', { storage: true }))),
  'no version is stored': change(TWO, versions(version('v1'), version('v2'))),
  'both are stored': change(TWO, versions(STORAGE, version('v2', { storage: true }))),
  'the version is renamed': change(BASE, versions({ ...STORAGE, name: 'v3' })),
  'no versions': change(BASE, versions()),
  'not served any more': change(BASE, stored({ served: false })),
  'another schema': change(BASE, schema({ type: 'object', properties: { a: { type: 'string' } } })),
  'a bad schema': change(BASE, property({})),
  'a bad schema stays out': change(BASE, second({ schema: { openAPIV3Schema: { type: 'string' } } })),
  'a bad default': change(BASE, property({ type: 'string', default: 1 })),
  'a bad column': change(BASE, column({ type: 'x' })),
  'a bad column beside a good one': change(column({}), column({ jsonPath: 'x' })),
  'a set of objects': change(BASE, property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' })),
  'conversion by a webhook': change(BASE, client({ url: 'https://a.b' })),
  'conversion by a bad webhook': change(BASE, client({ url: 'http://a.b' })),
  'no conversion any more': change(client({ url: 'https://a.b' }), conversion({ strategy: 'None' })),
  'conversion: null': change(client({ url: 'https://a.b' }), conversion(null)),
  'review versions that nobody knows': change(
    client({ url: 'https://a.b' }),
    conversion({ strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a.b' }, conversionReviewVersions: ['v9'] } }),
  ),
  'unknown members are kept': change(BASE, definition({ preserveUnknownFields: true })),
  'status is not taken': change(BASE, { ...BASE, status: { storedVersions: ['v9'], conditions: [], acceptedNames: NAMES } }),
};

const GROUP = 'crd-recorded.k8s.io';
const approved = (text?: string): Body =>
  definition(
    { group: GROUP },
    { name: `things.${GROUP}`, ...(text === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': text } }) },
  );
const APPROVAL: Record<string, Update> = {
  'approval: it stays': change(approved('unapproved'), approved('unapproved')),
  'approval: another': change(approved('unapproved'), approved('https://a.b/c')),
  'approval: it goes': change(approved('unapproved'), approved()),
  'approval: it gets bad': change(approved('unapproved'), approved('x')),
};

const status = (members: Body | null, more: Body = {}, old = BASE): Update => ({
  old,
  body: { ...old, ...more, status: members },
  status: true,
});
const ACCEPTED: Body = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
const GOOD: Body = { storedVersions: ['v1'], acceptedNames: ACCEPTED, conditions: [{ type: 'Established', status: 'True' }] };
const condition = (members: Body): Update => status({ ...GOOD, conditions: [members] });
const STATUSES: Record<string, Update> = {
  'status: good': status(GOOD),
  'status: empty': status({}),
  'status: null': status(null),
  'status: the spec does not count': status(GOOD, definition({ scope: 'Cluster', versions: [] })),
  'status: labels count': status(GOOD, definition({}, { labels: { a: 'b' } })),
  'status: a bad label': status(GOOD, definition({}, { labels: { 'a b': 'c' } })),
  'status: stored versions: none': status({ ...GOOD, storedVersions: [] }),
  'status: stored versions: another one': status({ ...GOOD, storedVersions: ['v9', 'v1'] }),
  'status: stored versions: a bad name': status({ ...GOOD, storedVersions: ['V9', ''] }),
  'status: stored versions: twice': status({ ...GOOD, storedVersions: ['v1', 'v1'] }),
  'status: stored versions: not the stored one': status({ ...GOOD, storedVersions: ['v2'] }, {}, TWO),
  'status: stored versions: both': status({ ...GOOD, storedVersions: ['v2', 'v1'] }, {}, TWO),
  'status: accepted names: none': status({ ...GOOD, acceptedNames: {} }),
  'status: accepted names: bad': status({
    ...GOOD,
    acceptedNames: { plural: 'A', singular: 'B', kind: 'c_d', listKind: 'c_d', shortNames: ['E'], categories: ['F'] },
  }),
  'status: accepted names: others': status({ ...GOOD, acceptedNames: { plural: 'x', kind: 'X' } }),
  'status: not established any more': status({ ...GOOD, conditions: [{ type: 'Established', status: 'False' }] }),
  'status: no conditions': status({ ...GOOD, conditions: [] }),
  'status: a condition without members': condition({}),
  'status: a condition that is unknown': condition({ type: 'X', status: 'Y' }),
  'status: a condition with everything': condition({
    type: 'A',
    status: 'Unknown',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }),
};

export const UPDATES: Readonly<Record<string, Update>> = {
  ...IMMUTABLE,
  ...NOT_ESTABLISHED,
  ...VERSIONS,
  ...APPROVAL,
  ...STATUSES,
};
