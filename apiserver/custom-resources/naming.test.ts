/** The acceptance of names of CustomResourceDefinitions. */
import { objectAt, type JsonObject } from '../../shared/values/json';
import { conditionsOf, ESTABLISHED, NOT_ESTABLISHED } from './conditions';
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
    names.set(`other-${index}`, { group: 'example.com', names: acceptedNames, isAwaitingNames: false }),
  );
  return names.namesInUse('own', 'example.com');
}

/** The conditions without their transition times. */
function conditionsIn(status: JsonObject): unknown[] {
  return conditionsOf(status).map(({ lastTransitionTime: _lastTransitionTime, ...condition }) => condition);
}

const transitionTimesIn = (status: JsonObject): unknown[] => conditionsOf(status).map(({ lastTransitionTime }) => lastTransitionTime);

/** The names of another definition. */
const OTHER_NAMES = { plural: 'as', singular: 'a', shortNames: ['aaa', 'aab'], kind: 'Aa', listKind: 'AaList' };
const NO_CONFLICTS = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
const conflict = (reason: string, message: string): object => ({ type: 'NamesAccepted', status: 'False', reason, message });

describe('names of a CustomResourceDefinition', () => {
  it('are all accepted when no other definition uses them, and the definition is established', () => {
    const names = { ...OTHER_NAMES, categories: ['x'] };
    const status = updateNameStatus(definition(names), namesUsedBy([]), AT);
    expect(objectAt(status, 'acceptedNames')).toEqual(names);
    expect(conditionsIn(status)).toEqual([NO_CONFLICTS, ESTABLISHED]);
    expect(transitionTimesIn(status)).toEqual(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z']);
    expect(status['storedVersions']).toEqual(['v1']);
  });

  // The names that release 1.31.1 accepts beside a definition with the names of OTHER_NAMES.
  it.each<[title: string, requested: JsonObject, accepted: JsonObject, reason: string, message: string]>([
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
  ])('are accepted except a conflicting %s', (_title, requested, accepted, reason, message) => {
    const status = updateNameStatus(definition(requested), namesUsedBy([OTHER_NAMES]), AT);
    expect(objectAt(status, 'acceptedNames')).toEqual(accepted);
    expect(conditionsIn(status)).toEqual([conflict(reason, message), NOT_ESTABLISHED]);
  });

  it('are accepted when the last conflict has ended, and the status is unchanged afterwards', () => {
    const names = { plural: 'bs', singular: 'as', kind: 'Bb', listKind: 'BbList' };
    const rejected = updateNameStatus(definition(names), namesUsedBy([OTHER_NAMES]), AT);
    const later = updateNameStatus(definition(names, rejected), namesUsedBy([]), AT + 60_000);
    expect(conditionsIn(later)).toEqual([NO_CONFLICTS, ESTABLISHED]);
    expect(transitionTimesIn(later)).toEqual(['2026-01-02T03:05:05Z', '2026-01-02T03:05:05Z']);
    expect(updateNameStatus(definition(names, later), namesUsedBy([]), AT + 120_000)).toEqual(later);
  });

  it('of an established definition stay accepted when another definition claims them', () => {
    const established = updateNameStatus(definition(OTHER_NAMES), namesUsedBy([]), AT);
    const contested = updateNameStatus(definition(OTHER_NAMES, established), namesUsedBy([{ kind: 'Aa' }]), AT + 60_000);
    expect(objectAt(contested, 'acceptedNames')).toEqual(OTHER_NAMES);
    expect(conditionsIn(contested)).toEqual([conflict('KindConflict', '"Aa" is already in use'), ESTABLISHED]);
  });
});
