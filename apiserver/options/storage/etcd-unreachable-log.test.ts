import { createAuthority, issueCertificate } from '../../../shared/pki/certificates';
import type { LogFields } from '../../../shared/runtime/logger';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { createEtcdUnreachableLog } from './etcd-unreachable-log';

const MEMBER = 'https://10.0.0.1:2379';
const OTHER_MEMBER = 'https://10.0.0.2:2379';
/** A log that appends the fields of its entries to `logged`. `certificate`: that of the client. */
function createLog(certificate?: Buffer) {
  const clock = new ManualClock();
  const logged: LogFields[] = [];
  const reportUnreachable = createEtcdUnreachableLog({
    clock,
    logger: { warn: (_message, fields = {}) => void logged.push(fields) },
    ownCertificate: () => certificate,
  });
  return { clock, logged, reportUnreachable };
}

it('createEtcdUnreachableLog logs each problem of each member at a limited rate', () => {
  const { clock, logged, reportUnreachable } = createLog();
  for (let second = 0; second < 40; second += 1) {
    reportUnreachable(MEMBER, 'connect ECONNREFUSED');
    reportUnreachable(OTHER_MEMBER, 'connect ECONNREFUSED');
    clock.advance(1_000);
  }
  expect(logged.map(({ endpoint }) => endpoint)).toEqual([MEMBER, OTHER_MEMBER, MEMBER, OTHER_MEMBER]);
});

it('createEtcdUnreachableLog logs another problem of a member at once', () => {
  const { logged, reportUnreachable } = createLog();
  reportUnreachable(MEMBER, 'connect ECONNREFUSED');
  reportUnreachable(MEMBER, 'certificate has expired');
  expect(logged.map(({ reason }) => reason)).toEqual(['connect ECONNREFUSED', 'certificate has expired']);
});

it.each([
  ['connect ECONNREFUSED 10.0.0.1:2379', 'check that etcd is running'],
  ['no response within 5 seconds of connecting', 'check that etcd is running'],
  ['certificate has expired', 'renew the certificate of the member'],
  ['14 UNAVAILABLE: No connection established. Last error: Error: certificate has expired', 'renew the certificate of the member'],
  ['unable to verify the first certificate', '--etcd-cafile'],
  ['self-signed certificate in certificate chain', '--etcd-cafile'],
  [
    "Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list: ",
    'that the certificate of the member contains',
  ],
  ['error:0A000412:SSL routines::ssl/tls alert bad certificate', '--etcd-certfile'],
  ['error:0A00045C:SSL routines::tlsv13 alert certificate required', '--etcd-certfile'],
  ['error:0A00010B:SSL routines::wrong version number', 'http://'],
  ['the connection was closed', 'https://'],
])('createEtcdUnreachableLog logs a remedy for %s', (reason, remedy) => {
  const { logged, reportUnreachable } = createLog();
  reportUnreachable(MEMBER, reason);
  expect(logged).toEqual([{ endpoint: MEMBER, reason, remedy: expect.stringContaining(remedy) }]);
});

it('createEtcdUnreachableLog logs that the own client certificate has expired', async () => {
  const common = { lifetimeMs: 60_000, clock: new ManualClock() };
  const authority = await createAuthority({ ...common, subject: { commonName: 'ca' } });
  const own = await issueCertificate({ ...common, authority, usage: 'client', subject: { commonName: 'apiserver' } });
  const { clock, logged, reportUnreachable } = createLog(Buffer.from(own.certificate));
  reportUnreachable(MEMBER, 'alert bad certificate');
  clock.advance(61_000);
  reportUnreachable(MEMBER, 'alert bad certificate');
  expect(logged).toEqual([
    expect.not.objectContaining({ ownCertificate: expect.anything() }),
    expect.objectContaining({ ownCertificate: expect.stringMatching(/--etcd-certfile has expired at .*: renew it/) }),
  ]);
});
