import { afterEach, describe, expect, it, vi } from 'vitest';
import { warnProcess } from '../../src/stores/failure.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a warning of a store', () => {
  it('is a warning of the process, with its type and its code', () => {
    const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const logged = vi.spyOn(console, 'warn').mockReturnValue();
    warnProcess('Use a file.');
    expect(emitted.mock.calls).toEqual([
      ['Use a file.', { type: 'SocialPublishingWarning', code: 'SOCIAL_PUBLISHING_STORE' }],
    ]);
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([
    ['without a process', undefined],
    ['whose process cannot warn', {}],
  ])('is written to the console of a runtime %s', (_, process) => {
    const logged = vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubGlobal('process', process);
    warnProcess('Use a file.');
    vi.unstubAllGlobals();
    expect(logged.mock.calls).toEqual([['Use a file.']]);
  });
});
