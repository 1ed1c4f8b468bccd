/** What the reference server (release 1.31.1) made of YAML bodies, of ControllerRevisions because their `data` is any value at all. */
import { casesOf } from '../../test/replay/recording';
import { anything, listOf, shape, text, type Check } from '../../test/replay/shape';
import { systemClock } from '../runtime/clock';
import { isObject, own, stringifyJson } from '../values/json';
import { SyntaxFault } from './syntax-fault';
import { parseYaml } from './yaml';
import { composeYaml } from './yaml-document';

interface Answer {
  readonly name: string;
  readonly body?: string;
  readonly base64?: string;
  readonly value?: unknown;
  readonly duplicates?: readonly string[];
  readonly fault?: string;
}

const isAnswer: Check<Answer> = shape({ name: text }, { body: text, base64: text, value: anything, duplicates: listOf(text), fault: text });
const answers = ['values/yaml', 'values/yaml-rare'].flatMap((recording) => casesOf(recording, isAnswer));
/** Values that upstream prints as Go would are JSON here. */
const SHOWN = [/^yaml: invalid map key: .*$/, 'yaml: invalid map key'] as const;

async function ours(body: Buffer): Promise<Omit<Answer, 'name' | 'body' | 'base64'>> {
  try {
    const { value, duplicates } = await parseYaml(body, systemClock);
    const data = isObject(value) ? own(value, 'data') : undefined;
    return { value: JSON.parse(stringifyJson(data ?? null)), ...(duplicates.length === 0 ? {} : { duplicates }) };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message.replace(...SHOWN) };
    throw error;
  }
}

it.each(answers.map((answer) => [answer.name, answer] as const))('%s', async (_, { name: _name, body = '', base64, ...expected }) => {
  const bytes = base64 === undefined ? Buffer.from(body) : Buffer.from(base64, 'base64');
  const fault = expected.fault?.replace(...SHOWN);
  expect(await ours(bytes)).toEqual({ ...expected, ...(fault === undefined ? {} : { fault }) });
});

it('takes any number of brackets that close under their key, and leaves texts in blocks alone', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => `k${n}:\n  args: [\n    "x"\n  ]\n`).join('');
  expect(Object.keys(Object(composeYaml(many).value))).toHaveLength(5_000);
  const blocks = 'a: |\n  b: [\n  ]\nb: [\n]\nc:\n- >\n  x [\n  ]\n';
  expect(composeYaml(blocks).value).toEqual({ a: 'b: [\n]\n', b: [], c: ['x [ ]\n'] });
});

it('lines that are moved to the right do not make reading quadratic', () => {
  const begin = process.cpuUsage();
  expect(() => composeYaml('a: [x\n,y]\n'.repeat(6_000))).toThrow(SyntaxFault);
  const { user, system } = process.cpuUsage(begin);
  expect((user + system) / 1000).toBeLessThan(3_000);
});
