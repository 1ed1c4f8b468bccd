/**
 * The conformance cases of the language's specification, as rules: what the reference server says of each is recorded and is what this one says, but for
 * the rows of differences; and which cases do not hold as the specification has it, and why, is data that has to stay as it is.
 */
import { specifiedCases, type SpecifiedCase, type SpecifiedAnswer } from '../../test/replay/expressions/specification';
import { DIFFERENT, NOT_APPLICABLE, UNSAID, type SpecificationRow } from '../../test/replay/expressions/specification-rows';
import { casesOf } from '../../test/replay/recording';
import { either, oneOf, shape, text } from '../../test/replay/shape';
import { policyVariables } from './admission/variables';
import { Budget, compileExpression, CostExceeded, Failure, type Value } from './engine';
import { freeValue } from './free-json';
import { printType } from './types/type';

const isAnswer = either(oneOf('holds', 'does not hold', 'no answer'), either(shape({ refused: text }), shape({ fails: text })));
const recorded = new Map(
  casesOf('expressions/specification', shape({ name: text, answer: isAnswer })).map(({ name, answer }) => [name, answer] as const),
);
const variables = policyVariables({ params: false, authorizer: true });
const cases = specifiedCases();

/** What this server says of a rule about an object. */
function answerTo(rule: string, values: ReadonlyMap<string, Value> = new Map()): SpecifiedAnswer {
  const expression = compileExpression(rule, variables);
  if ('fault' in expression) return { refused: `${expression.isUnderstood ? 'Internal error: ' : ''}${expression.fault}` };
  try {
    const value = expression.evaluate(values, 1_000_000, new Budget(10_000_000));
    if (value instanceof Failure) return { fails: value.message };
    return value === true ? 'holds' : 'does not hold';
  } catch (error) {
    if (error instanceof CostExceeded) return { fails: 'too expensive' };
    throw error;
  }
}

const said = (answer: SpecifiedAnswer): string =>
  typeof answer === 'string' ? answer : 'refused' in answer ? answer.refused : answer.fails;
const isError = (answer: SpecifiedAnswer): boolean => typeof answer !== 'string';
const isMet = ({ wants }: SpecifiedCase, answer: SpecifiedAnswer): boolean => (wants === 'error' ? isError(answer) : answer === 'holds');

/** How many cases are of which row; those of none are told by their names. */
function counted(
  rows: readonly SpecificationRow[],
  all: readonly { readonly one: SpecifiedCase; readonly answer: string }[],
): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(rows.map(({ why }) => [why, 0]));
  for (const { one, answer } of all) {
    const row = rows.find(
      ({ name = /(?:)/, source = /(?:)/, answer: wanted = /(?:)/ }) =>
        name.test(one.name) && source.test(one.source) && wanted.test(answer),
    );
    const why = row?.why ?? `none: ${one.name}`;
    counts[why] = (counts[why] ?? 0) + 1;
  }
  return counts;
}

const wanted = (rows: readonly SpecificationRow[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ why, cases: count }) => [why, count]));

describe('the conformance cases of the language', () => {
  it('are answered as by the reference server, but for what is known to differ', () => {
    const different = cases.flatMap((one) => {
      if (one.rule === undefined) return [];
      const answer = recorded.get(one.name);
      if (answer === undefined) throw new Error(`not recorded: ${one.name}`);
      return said(answerTo(one.rule)) === said(answer) ? [] : [{ one, answer: said(answer) }];
    });
    expect(counted(DIFFERENT, different)).toEqual(wanted(DIFFERENT));
  });

  it('hold, or do not for a reason that is known', () => {
    const asked = cases.flatMap((one) => (one.rule === undefined ? [] : [{ one, answer: answerTo(one.rule) }]));
    const unmet = asked.filter(({ one, answer }) => !isMet(one, answer));
    expect(
      counted(
        NOT_APPLICABLE,
        unmet.map(({ one, answer }) => ({ one, answer: said(answer) })),
      ),
    ).toEqual(wanted(NOT_APPLICABLE));
    expect({ all: cases.length, asked: asked.length, met: asked.length - unmet.length }).toEqual({ all: 2344, asked: 2045, met: 1394 });
  });

  it('are left out only where no rule can say them', () => {
    const reasons: Record<string, number> = {};
    for (const { unsaid } of cases) if (unsaid !== undefined) reasons[unsaid] = (reasons[unsaid] ?? 0) + 1;
    expect(reasons).toEqual(UNSAID);
  });

  it('have the types that the specification has found', () => {
    const wrong = cases.flatMap(({ name, source, type }) => {
      if (type === undefined) return [];
      const expression = compileExpression(source, new Map());
      const found = 'fault' in expression ? undefined : printType(expression.type);
      return found === undefined || found === type ? [] : [`${name}: ${found}, not ${type}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('messages that are built', () => {
  const request = { metadata: { name: 'case' } };
  const values = new Map<string, Value>(['object', 'request'].map((name) => [name, freeValue(request)]));
  it.each(casesOf('expressions/messages', shape({ rule: text, answer: isAnswer })).map(({ rule, answer }) => [rule, answer] as const))(
    '%s',
    (rule, answer) => {
      expect(answerTo(rule, values)).toEqual(answer);
    },
  );

  it('count what is gone through as work', () => {
    const expression = compileExpression('google.protobuf.Struct{fields: object}.size() == 1', variables);
    if ('fault' in expression) throw new Error(expression.fault);
    const work = (items: number): number => {
      const budget = new Budget(1_000_000);
      const before = budget.work;
      expression.evaluate(new Map([['object', freeValue({ items: Array<number>(items).fill(1) })]]), 1_000_000, budget);
      return before - budget.work;
    };
    expect(work(1000) - work(0)).toBeGreaterThanOrEqual(1000);
  });
});
