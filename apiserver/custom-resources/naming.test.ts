/** The acceptance of names of CustomResourceDefinitions. */
import { objectAt, type JsonObject } from '../../shared/values/json';
import { conditionsOf } from './conditions';
import { NamesByGroup } from './group-names';
import { updateNameStatus, type NamedDefinition, type NamesInUse } from './naming';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

function definition(requestedNames: JsonObject, status: JsonObject = { storedVersions: ['v1'] }): NamedDefinition {
  return { requestedNames, status };
}

/** The names in use by other definitions of the group, given the accepted names of each. */
function namesUsedBy(accepted: readonly JsonObject[]): NamesInUse {
  const names = new NamesByGroup();
  accepted.forEach((acceptedNames, index) =>
    names.set(`other-${index}`, { group: 'example.com', accepted: acceptedNames, isAwaitingNames: false }),
  );
  return names.namesInUse('own', 'example.com');
}

function conditionsIn(status: JsonObject): unknown[] {
  return conditionsOf(status).map(({ type, status: value, reason, message }) => [type, value, reason, message]);
}

const HOLDER = { plural: 'as', singular: 'a', shortNames: ['aaa', 'aab'], kind: 'Aa', listKind: 'AaList' };
const ACCEPTED = [
  ['NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'],
  ['Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'],
];
const NOT_ACCEPTED = ['Established', 'False', 'NotAccepted', 'not all names are accepted'];

describe('names of a CustomResourceDefinition', () => {
  it('are all accepted when they are free, and the definition is established', () => {
    const names = { ...HOLDER, categories: ['x'] };
    const status = updateNameStatus(definition(names), namesUsedBy([]), AT);
    expect(objectAt(status, 'acceptedNames')).toEqual(names);
    expect(conditionsIn(status)).toEqual(ACCEPTED);
    expect(conditionsOf(status).map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(Array(2).fill('2026-01-02T03:04:05Z'));
    expect(status['storedVersions']).toEqual(['v1']);
  });

  // The names that release 1.31.1 accepts beside a definition with the names of HOLDER.
  it.each<[string, JsonObject, JsonObject, string, string]>([
    [
      'singular',
      { plural: 'bs', singular: 'as', kind: 'Bb', listKind: 'BbList', shortNames: ['bb'] },
      { plural: 'bs', shortNames: ['bb'], kind: 'Bb', listKind: 'BbList' },
      'SingularConflict',
      '"as" is already in use',
    ],
    [
      'kind',
      { plural: 'cs', singular: 'c', kind: 'Aa', listKind: 'CcList', shortNames: ['cc'] },
      { plural: 'cs', singular: 'c', shortNames: ['cc'], kind: '', listKind: 'CcList' },
      'KindConflict',
      '"Aa" is already in use',
    ],
    [
      'list kind (reported instead of the short names)',
      { plural: 'ds', singular: 'd', kind: 'Dd', listKind: 'AaList', shortNames: ['aaa', 'aab'] },
      { plural: 'ds', singular: 'd', kind: 'Dd' },
      'ListKindConflict',
      '"AaList" is already in use',
    ],
    [
      'plural',
      { plural: 'aaa', singular: 'e', kind: 'Ee', listKind: 'EeList' },
      { plural: '', singular: 'e', kind: 'Ee', listKind: 'EeList' },
      'PluralConflict',
      '"aaa" is already in use',
    ],
  ])('are accepted except a conflicting %s', (_title, names, accepted, reason, message) => {
    const status = updateNameStatus(definition(names), namesUsedBy([HOLDER]), AT);
    expect(objectAt(status, 'acceptedNames')).toEqual(accepted);
    expect(conditionsIn(status)).toEqual([['NamesAccepted', 'False', reason, message], NOT_ACCEPTED]);
  });

  it('are accepted when the last conflict is gone, and the status is unchanged afterwards', () => {
    const names = { plural: 'bs', singular: 'as', kind: 'Bb', listKind: 'BbList' };
    const rejected = updateNameStatus(definition(names), namesUsedBy([HOLDER]), AT);
    const later = updateNameStatus(definition(names, rejected), namesUsedBy([]), AT + 60_000);
    expect(conditionsIn(later)).toEqual(ACCEPTED);
    expect(conditionsOf(later)[1]?.['lastTransitionTime']).toBe('2026-01-02T03:05:05Z');
    expect(updateNameStatus(definition(names, later), namesUsedBy([]), AT + 120_000)).toEqual(later);
  });

  it('of an established definition stay accepted when another definition claims them', () => {
    const established = updateNameStatus(definition(HOLDER), namesUsedBy([]), AT);
    const contested = updateNameStatus(definition(HOLDER, established), namesUsedBy([{ kind: 'Aa' }]), AT + 60_000);
    expect(objectAt(contested, 'acceptedNames')).toEqual(HOLDER);
    expect(conditionsIn(contested)).toEqual([['NamesAccepted', 'False', 'KindConflict', '"Aa" is already in use'], ACCEPTED[1]]);
  });
});
