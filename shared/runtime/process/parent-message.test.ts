import { sendToParent } from './parent-message';

describe('sendToParent', () => {
  it('resolves without a parent process', async () => {
    await expect(sendToParent({}, 'ready')).resolves.toBeUndefined();
  });

  it('resolves when the message could not be written', async () => {
    const message = jest.fn();
    const process = {
      send: (text: object | string, written: (error: Error | null) => void) => {
        message(text);
        written(new Error('channel closed'));
        return false;
      },
    };
    await expect(sendToParent(process, 'ready')).resolves.toBeUndefined();
    expect(message).toHaveBeenCalledWith('ready');
  });
});
