import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseServerFlags } from '../../../test/support/server-flags';
import { useFolder } from '../../../test/support/use-resource';
import { serviceAccountAccessOptions, serviceAccountFlagError, openTokenKeyFiles } from './service-account-options';

const key = path.join(useFolder('keys'), 'sa.key');
writeFileSync(key, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }));

const ISSUER = '--service-account-issuer=https://me';
const KEY = `--service-account-key-file=${key}`;
const SIGNING = `--service-account-signing-key-file=${key}`;
const TOGETHER = '--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together';
const BOUNDS = 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds';

it.each<[readonly string[], string | undefined]>([
  [[], undefined],
  [[ISSUER, KEY, SIGNING], undefined],
  [[ISSUER, '--service-account-issuer=plain', KEY, SIGNING, '--service-account-max-token-expiration=1h'], undefined],
  [[KEY], `[service-account-issuer is a required flag, ${TOGETHER}]`],
  [[ISSUER, SIGNING], 'service-account-key-file is a required flag'],
  [[ISSUER, KEY], TOGETHER],
  [[ISSUER, ISSUER, KEY, SIGNING], 'service-account-issuer "https://me" is already specified'],
  [['--service-account-issuer=', KEY, SIGNING], 'service-account-issuer should not be an empty string'],
  [['--service-account-issuer=:bad', KEY, SIGNING], 'service-account-issuer ":bad" contained a \':\' but was not a valid URL'],
  [[ISSUER, KEY, SIGNING, '--service-account-max-token-expiration=59m'], BOUNDS],
  [[ISSUER, KEY, SIGNING, '--service-account-max-token-expiration=2000000h'], BOUNDS],
])('serviceAccountFlagError returns for the flags %j the error %p', (argv, error) =>
  expect(serviceAccountFlagError(parseServerFlags(...argv))).toBe(error),
);

function readOptions(...argv: readonly string[]): ReturnType<typeof serviceAccountAccessOptions> {
  const flags = parseServerFlags(...argv);
  return serviceAccountAccessOptions(flags, openTokenKeyFiles(flags));
}

it('serviceAccountAccessOptions reads the issuers and lifetimes of the flags', () => {
  const { serviceAccounts } = readOptions(
    ISSUER,
    '--service-account-issuer=old,and,odd',
    KEY,
    SIGNING,
    '--service-account-max-token-expiration=2h',
  );
  expect(serviceAccounts).toMatchObject({
    issuers: ['https://me', 'old,and,odd'],
    maxExpirationSeconds: 7200,
    extendExpiration: true,
  });
});

it('serviceAccountAccessOptions reads each file of --service-account-key-file, even when one is named twice', () => {
  const keys = readOptions(ISSUER, KEY, KEY, SIGNING).serviceAccounts?.keys();
  const signingId = keys?.signing.id;
  expect(keys?.verifying.map(({ id }) => id)).toEqual([signingId, signingId]);
});

it('serviceAccountAccessOptions uses the issuers as audiences without --api-audiences', () => {
  expect(readOptions(ISSUER, '--service-account-issuer=old', KEY, SIGNING).apiAudiences).toEqual(['https://me', 'old']);
});

it('serviceAccountAccessOptions uses the audiences of --api-audiences', () => {
  expect(readOptions(ISSUER, KEY, SIGNING, '--api-audiences=a,b').apiAudiences).toEqual(['a', 'b']);
});

it('serviceAccountAccessOptions returns only the audiences without an issuer', () => {
  expect(readOptions('--api-audiences=a')).toEqual({ apiAudiences: ['a'] });
});
