/**
 * Strings from clients are looked up in tables, in which names that every object inherits, such as `constructor`, must
 * not match.
 */
import { tableConvertor } from '../../../apiserver/printers/table';
import { cronScheduleError } from '../../../shared/values/time/cron-schedule';
import { KNOWN_KINDS } from '../../../shared/api/kinds';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import { parseDuration } from '../../../shared/cli/duration';

describe.each(['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'])('the inherited name %s', (name) => {
  it('is not a unit of a duration', () => {
    expect(cronScheduleError(`@every 1${name}`)).toBe(
      `failed to parse duration @every 1${name}: time: unknown unit "${name}" in duration "1${name}"`,
    );
    expect(parseDuration(`1${name}`)).toBeUndefined();
  });

  it('is not an operator of a selector', () => {
    expect(requirementsOfSelector({ matchExpressions: [{ key: 'a', operator: name }] })).toEqual([]);
  });

  it('is not a phase of a pod', () => {
    const pod = KNOWN_KINDS.find(({ kind, group }) => kind === 'Pod' && group === '');
    expect(pod).toBeDefined();
    expect(pod && tableConvertor.rowConditions(pod, { status: { phase: name } })).toBeUndefined();
  });
});
