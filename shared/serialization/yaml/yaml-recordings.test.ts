/** Compares the parsing of YAML bodies with recordings of release 1.31.1. */
import { yamlBytes, yamlBodies, type YamlBody } from '../../../test/replay/formats/yaml-body';
import { systemClock } from '../../runtime/clock';
import { isObject, ownMember, stringifyJson } from '../../values/json';
import { ParseError } from '../json/parse-error';
import { parseYaml } from './yaml';
import { composeYaml } from './yaml-document';

const RECORDINGS = ['values/yaml', 'values/yaml-rare'].flatMap((recording) => yamlBodies(recording).cases);
/** Upstream prints the key in Go syntax, this server as JSON. */
const INVALID_KEY = [/^yaml: invalid map key: .*$/, 'yaml: invalid map key'] as const;

async function parseBody(body: Buffer): Promise<Omit<YamlBody, 'name' | 'body' | 'base64'>> {
  try {
    const { value, duplicates } = await parseYaml(body, systemClock);
    const data = isObject(value) ? ownMember(value, 'data') : undefined;
    return { value: JSON.parse(stringifyJson(data ?? null)), ...(duplicates.length === 0 ? {} : { duplicates }) };
  } catch (error) {
    if (error instanceof ParseError) return { fault: error.message.replace(...INVALID_KEY) };
    throw error;
  }
}

it.each(RECORDINGS.map((recorded) => [recorded.name, recorded] as const))(
  'parseYaml gives the recorded result for %s',
  async (_, recorded) => {
    const { name: _name, body: _body, base64: _base64, ...expected } = recorded;
    const fault = expected.fault?.replace(...INVALID_KEY);
    expect(await parseBody(yamlBytes(recorded))).toEqual({ ...expected, ...(fault === undefined ? {} : { fault }) });
  },
);

it('composeYaml accepts any number of brackets that close in the column of their key, and leaves block scalars unchanged', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => `k${n}:\n  args: [\n    "x"\n  ]\n`).join('');
  expect(Object.keys(Object(composeYaml(many).value))).toHaveLength(5_000);
  const blocks = 'a: |\n  b: [\n  ]\nb: [\n]\nc:\n- >\n  x [\n  ]\n';
  expect(composeYaml(blocks).value).toEqual({ a: 'b: [\n]\n', b: [], c: ['x [ ]\n'] });
});

it('composeYaml rejects many flow lists with unindented lines in linear time', () => {
  const begin = process.cpuUsage();
  expect(() => composeYaml('a: [x\n,y]\n'.repeat(6_000))).toThrow(ParseError);
  const { user, system } = process.cpuUsage(begin);
  expect((user + system) / 1000).toBeLessThan(3_000);
});
