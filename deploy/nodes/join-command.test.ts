import { createHash, X509Certificate } from 'node:crypto';
import { createAuthority, renewAuthority } from '../../shared/pki/certificates';
import { systemClock as clock } from '../../shared/runtime/clock';
import { endpointOf, joinCommand, publicKeyPin } from './join-command';

const token = { id: 'abcdef', secret: '0123456789abcdef' };
const newAuthority = () => createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: 60_000, clock });

describe('publicKeyPin', () => {
  it('is the hash of the public key, which a renewed authority keeps', async () => {
    const authority = await newAuthority();
    const key = new X509Certificate(authority.certificate).publicKey.export({ type: 'spki', format: 'der' });
    const pin = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    expect(publicKeyPin(authority.certificate)).toBe(pin);
    expect(publicKeyPin((await renewAuthority({ authority, lifetimeMs: 90_000, clock })).certificate)).toBe(pin);
  });
});

describe('joinCommand', () => {
  it('has a pin for each authority', async () => {
    const [first, second] = [await newAuthority(), await newAuthority()];
    const address = { server: new URL('https://192.0.2.1:6443'), authority: `${first.certificate}\n${second.certificate}` };
    expect(joinCommand(address, token)).toBe(
      `kubeadm join 192.0.2.1:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash ${publicKeyPin(first.certificate)}` +
        ` --discovery-token-ca-cert-hash ${publicKeyPin(second.certificate)}`,
    );
  });

  it('quotes an address that a shell would change', async () => {
    const { certificate: authority } = await newAuthority();
    const command = joinCommand({ server: new URL('https://$(reboot):6443'), authority }, token);
    expect(command).toContain("kubeadm join '$(reboot):6443' --token ");
  });
});

test.each([
  ['https://192.0.2.1:6443', '192.0.2.1:6443'],
  ['https://[2001:db8::1]:6443/', '[2001:db8::1]:6443'],
  ['https://cluster.example', 'cluster.example:443'],
])('endpointOf %s is %s', (url, endpoint) => {
  expect(endpointOf(new URL(url))).toBe(endpoint);
});
