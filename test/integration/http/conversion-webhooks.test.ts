/** What conversion webhooks are asked and what becomes of their answers, over HTTPS with a real webhook: replays what the reference server did (test/recordings/conversions.ts). */
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { CASES } from '../../recordings/conversions/cases';
import { openNamespace, runCase, type Asked } from '../../recordings/conversions/run';
import { casesOf } from '../../recordings/recording';
import { isBody, type Body, type Json } from '../../recordings/reference';
import { body } from '../../recordings/shape';
import { startConversionServer, type ConversionServer } from '../../support/conversion-server';
import { ADMIN, call, startFixture, warningsOf, type Fixture } from './fixture';

const RECORDED = casesOf('custom/conversions', body);

const USERS = `${ADMIN},admin,admin-uid,"system:masters"\n`;

let fixture: Fixture;
let webhook: ConversionServer;

const server: Asked = {
  async send(method, path, headers, sent) {
    const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
    return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
  },
};

beforeAll(async () => {
  webhook = await startConversionServer();
  fixture = await startFixture({ naming: 'kubernetes', tokens: [parseTokenFile('tokens.csv', USERS, () => undefined)] });
  await openNamespace(server);
});

afterAll(async () => {
  await fixture.stop();
  await webhook.close();
});

test.each(CASES.map((one) => [one.title, one] as const))('%s', async (title, one) => {
  const recorded = RECORDED.find((line) => line['title'] === title);
  const ours = await runCase(server, webhook, one);
  const unready = stepsOf(recorded ?? {}).flatMap((step, at) => (isBody(step) && step['code'] === 429 ? [at] : []));
  expect(comparable(without(ours, unready))).toEqual(comparable(without(recorded ?? {}, unready)));
});

const stepsOf = ({ steps }: Body): readonly Json[] => (Array.isArray(steps) ? steps : []);

/** While its cache of a version begins anew after a failure, the reference server asks to come again; there is no such cache here. */
const without = (line: Body, left: readonly number[]): Body => ({ ...line, steps: stepsOf(line).filter((_, at) => !left.includes(at)) });

/** By title, what is not the same on purpose. */
const OTHERWISE: Readonly<Record<string, (text: string) => string>> = {
  // Redirects are not followed.
  'answer: redirect': (text) =>
    text.replaceAll(/Post \\"\/good\\": stopped after 10 redirects/g, 'the server answered with a redirect (302), which is not followed'),
  // What comes with a failure is not shown.
  'answer: broken': (text) => text.replaceAll(/server \(\\"oh\\"\)/g, 'server (\\"unknown\\")'),
  // What was asked for is told with 400.
  'applied in both versions': (text) => text.replaceAll(/"code":500/g, '"code":400'),
  // Which way fails first depends on what the reference server has kept.
  'every request while it fails': (text) => text.replaceAll(/example.com\/v\d, Kind=Widget failed/g, 'example.com/v*, Kind=Widget failed'),
  'place: another name': (text) => text.replaceAll(/ on [\d.]+:53/g, ''),
};

/**
 * Known to differ: an owner that wrote in another version than the last writer keeps a field here that he has lost there. What the objects hold is compared.
 */
const OWNED_OTHERWISE: ReadonlySet<Json | undefined> = new Set(['stored in both versions', 'writes of the other version']);

function comparable(line: Body): Json {
  const shown = JSON.stringify(masked(line), (name, value: Json) =>
    name === 'managedFields' && OWNED_OTHERWISE.has(line['title']) ? undefined : value,
  );
  const alike: Json = JSON.parse(OTHERWISE[JSON.stringify(line['title']).slice(1, -1)]?.(shown) ?? shown);
  return alike;
}

/** What is told elsewhere, and what an object that is going away would be shown with if it stayed. */
function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked);
  if (!isBody(value)) return value;
  const { metadata, spec } = value;
  const isGoing = isBody(metadata) && metadata['deletionTimestamp'] !== undefined;
  const members = Object.entries(value).filter(
    ([name]) => name !== 'description' && !(value['kind'] === 'CustomResourceDefinition' && name === 'metadata'),
  );
  const shown = Object.fromEntries(members.map(([name, inner]) => [name, masked(inner)]));
  if (!isGoing || !isBody(spec)) return shown;
  const { bySecond: _, ...kept } = spec;
  return { ...shown, spec: kept };
}
