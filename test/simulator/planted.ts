/** Bugs that the simulator must find. Each is a change of a copy of the sources: no shipped file contains it. */

/** A change of one file of a copy of the sources. */
export interface Patch {
  /** The file, from the root of the repository. */
  readonly file: string;
  /** A text that the file contains once. */
  readonly find: string;
  readonly replace: string;
}

export interface PlantedBug extends Patch {
  readonly name: string;
  /** A description of the bug, for the table. */
  readonly about: string;
  /** Further changes that the bug needs. */
  readonly also?: readonly Patch[];
}

const publisher = 'src/publisher';
const inbox = 'src/webhooks/inbox';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'resend-after-lease',
    about: 'An expired lease makes the intent ready: another process sends it again',
    file: `${publisher}/intents/intent.ts`,
    find: "return isDone(record) || isLeased(record, at) ? 'nothing' : 'search';",
    replace: "return isDone(record) || isLeased(record, at) ? 'nothing' : 'send';",
  },
  {
    name: 'note-before-claim',
    about: 'A reply is recorded before its post is claimed',
    file: `${publisher}/intent-worker.ts`,
    find: "if ('report' in sent && (await this.claims.claim(record, sent.report.postId, 'reply')))",
    replace: "if ('report' in sent)",
    also: [
      {
        file: `${publisher}/intent-worker.ts`,
        find: 'const recorded = await this.#insist(() => this.intents.apply(record, happening, mine));',
        replace:
          "const recorded = await this.#insist(() => this.intents.apply(record, happening, mine));\n    if (happening.type === 'reply') await this.claims.claim(record, happening.report.postId, 'reply');",
      },
    ],
  },
  {
    name: 'no-version-check',
    about: 'The memory store writes whatever the version is',
    file: 'src/stores/memory.ts',
    find: 'if (this.#stored.get(key)?.version !== replaces) return false;',
    replace: 'if (replaces === undefined && this.#stored.has(key)) return false;',
  },
  {
    name: 'late-failure-of-a-former-life',
    about: 'A late failure, or a late search, counts for a key that was pruned and published again',
    file: `${publisher}/intents/stored-intents.ts`,
    find: 'if (read?.createdAt !== createdAt) return undefined;',
    replace: 'if (read === undefined || createdAt < 0) return undefined;',
  },
  {
    name: 'skew-applied-twice',
    about: 'The offset of the clock is added twice to the window of evidence',
    file: 'src/posts/find-posts.ts',
    find: 'from: sentAt + greatest(offsetsMs) - clockToleranceMs,',
    replace: 'from: sentAt + 2 * greatest(offsetsMs) - clockToleranceMs,',
  },
  {
    name: 'lost-answer-believed',
    about: 'A write whose answer was lost counts as executed',
    file: 'src/stores/lost-replies.ts',
    find: 'if (item?.version === replaces) throw error;',
    replace: 'if (replaces !== undefined) return item?.version ?? replaces;\n    if (item === undefined) throw error;',
  },
  {
    name: 'lost-insert-repeated',
    about: 'After a lost answer, an insert is taken for written although another process wrote the item',
    file: 'src/stores/lost-replies.ts',
    find: '(item?.data ?? null) === data ?',
    replace: 'item !== undefined ?',
  },
  {
    name: 'stale-due',
    about: 'A key of a stale list of due keys is handled, whatever its record says',
    file: `${inbox}/inbox-processor.ts`,
    find: 'if (!isDue(record, this.#settings.now())) return false;',
    replace: '',
  },
  {
    name: 'prune-frees-claim',
    about: 'A prune removes the claim of a post at once',
    file: `${publisher}/search/claims.ts`,
    find: 'return { record, wakeAt: postAt + keptAfterPruneMs };',
    replace: 'void [record, postAt];\n      return null;',
  },
  {
    name: 'retry-after-ignored-by-derived',
    about: 'Derived clients do not share the pace: they ignore Retry-After',
    file: 'src/client.ts',
    find: 'return new SocialPublishing(options, runtime, shared);',
    replace: 'return new SocialPublishing(options, runtime, { ...shared, pace: newShared().pace });',
  },
  {
    name: 'retry-after-ignored',
    about: 'A 429 holds back no other call',
    file: 'src/http/pace.ts',
    find: 'this.#heldUntil = Math.max(this.#heldUntil, now + waitMs);',
    replace: 'this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(waitMs, 250));',
  },
  {
    name: 'acknowledged-before-written',
    about: 'The inbox answers 200 before the event is written',
    file: `${inbox}/inbox.ts`,
    find: 'if (await storage.add(await eventKey(id), record)) onNew();',
    replace: 'void storage.add(await eventKey(id), record).then(onNew, () => undefined);',
  },
  {
    name: 'send-before-mark',
    about: 'The create is sent while its mark is being written',
    file: `${publisher}/intent-worker.ts`,
    find: 'const mine = await this.intents.put(next, old);',
    replace:
      'const written = this.intents.put(next, old);\n      void written.catch(() => undefined);\n      const mine = old === undefined ? { record: next, version: 1 } : await written;',
  },
  {
    name: 'reset-is-retried',
    about: 'The client repeats a create after a lost connection',
    file: 'src/http/retry.ts',
    find: "return retry === 'repeatable';\n    case 'unsendable':",
    replace: "return true;\n    case 'unsendable':",
  },
  {
    name: 'gateway-error-is-rejected',
    about: 'A 502 to a create counts as a refusal',
    file: 'src/http/retry.ts',
    find: "if (provesNothing(failure.status)) return 'unknown';",
    replace: "if (failure.status !== 502 && provesNothing(failure.status)) return 'unknown';",
    also: [
      {
        file: 'src/core/errors.ts',
        find: "if (isApiError(error) && provesNothing(error.status)) return 'unknown';",
        replace: "if (isApiError(error) && error.status !== 502 && provesNothing(error.status)) return 'unknown';",
      },
    ],
  },
  {
    name: 'unknown-becomes-ready',
    about: 'An unknown outcome makes the intent ready again',
    file: `${publisher}/intents/intent.ts`,
    find: "if (error.outcome === 'unknown') {",
    replace: "if (error.outcome === 'unknown' && at < 0) {",
  },
  {
    name: 'late-reply-replaces-post',
    about: 'A late reply replaces the recorded post',
    file: `${publisher}/intents/intent.ts`,
    find: 'if (record.postId !== undefined && record.postId !== report.postId) return record;',
    replace: '',
  },
  {
    name: 'final-changes',
    about: 'A late report changes a final state',
    file: `${publisher}/intents/intent.ts`,
    find: 'if (isFinal(record.state)) return withAccounts(record, report, at);',
    replace: 'void withAccounts;',
  },
  {
    name: 'draft-without-wake',
    about: 'An accepted intent is never checked again',
    file: `${publisher}/intents/intent.ts`,
    find: "wakeAt: status === 'draft' || wantsDraft(record) ? null : nextCheck(at, known.acceptedAt, report.scheduledFor),",
    replace:
      "wakeAt: status === 'draft' || wantsDraft(record) || report.scheduledFor !== undefined ? null : nextCheck(at, known.acceptedAt, undefined),",
  },
  {
    name: 'key-is-shown',
    about: 'Messages of the service are recorded with the access key that they quote',
    file: 'src/core/redactor.ts',
    find: '=> secret.length >= shortestRedacted',
    replace: '=> secret.length < shortestRedacted',
  },
  {
    name: 'both-recovered-and-delivered',
    about: 'A recovered event is handled although its delivery was',
    file: `${inbox}/inbox-processor.ts`,
    find: 'return first.id === id || (first.recovered === undefined && recovered === undefined);',
    replace: 'return true || first.id === id;',
  },
  {
    name: 'done-without-handler',
    about: 'An event of a crashed process counts as handled',
    file: `${inbox}/inbox-processor.ts`,
    find: 'if (handler === undefined || !(await this.#claimState(event, scopes))) {',
    replace:
      'if (record.lost > 0 || record.owner !== undefined || handler === undefined || !(await this.#claimState(event, scopes))) {',
  },
  {
    name: 'resend-without-reading-back',
    about: 'A resend does not read further back than the window',
    file: `${publisher}/intents/intent.ts`,
    find: 'return search.readBack ? {',
    replace: 'return search.startedAt > 0 ? {',
    also: [
      {
        file: `${publisher}/search/post-search.ts`,
        find: "return isSettled && (onMissing === 'resend' || record.lookup?.readBack !== true);",
        replace: "return isSettled && onMissing === 'hold' && record.lookup?.readBack !== true;",
      },
    ],
  },
  {
    name: 'future-is-never-due',
    about: 'An intent of a process whose clock was ahead is not scanned for',
    file: `${publisher}/sweep.ts`,
    find: 'if (!this.#scan.isDue(now())) return [];',
    replace: 'if (this.#scan.isDue(now()) || now() > 0) return [];',
  },
  {
    name: 'store-error-is-believed',
    about: 'After a send, an error of the store keeps its outcome, for example not_sent if the store was closed',
    file: `${publisher}/intents/stored-intents.ts`,
    find: 'throw withUnknownOutcome(error, next);',
    replace: 'void [withUnknownOutcome, next];\n    throw error;',
  },
  {
    name: 'foreign-data-is-not-sent',
    about: 'Data of a newer version, found after a send, counts as proof that nothing was sent',
    file: `${publisher}/intents/stored-intents.ts`,
    find: 'if (error instanceof IntentConflictError) return error;',
    replace:
      "if (error instanceof IntentConflictError || (error instanceof Error && error.message.includes('left as it is'))) return error;",
  },
  {
    name: 'refused-list-is-believed',
    about: 'The refusal of a list counts as the outcome of the create',
    file: `${publisher}/search/post-search.ts`,
    find: "message: `${mayExist} ${failure.message}`, outcome: 'unknown' };",
    replace: '};',
  },
  {
    name: 'twins-share-a-post',
    about: 'A post is claimed for an intent although an equal intent has it',
    file: `${publisher}/search/claims.ts`,
    find: 'if (!yielding.includes(await this.#standing(claim, postId))) return undefined;',
    replace: '',
  },
  {
    name: 'service-is-ignored',
    about: 'A publisher works on intents of another service with the same store',
    file: `${publisher}/intents/intent-space.ts`,
    find: 'return service !== undefined && this.service !== undefined && service !== this.service;',
    replace: 'return service === this.service && service !== this.service;',
  },
  {
    name: 'claim-of-another-service',
    about: 'The claim of a post with the same ID at another service counts',
    file: `${publisher}/search/claims.ts`,
    find: 'if (known !== undefined && !this.#space.isForeign(known.record)) return',
    replace: 'if (known !== undefined) return',
  },
  {
    name: 'old-date-is-believed',
    about: 'The newest `Date` counts, although a cache made it old',
    file: 'src/core/service-clock.ts',
    find: 'this.#samples.filter((sample) => isRecent(sample, time) && sample.offsetMs > offsetMs);',
    replace: 'this.#samples.filter((sample) => isRecent(sample, time) && sample.monotonic > monotonic);',
  },
  {
    name: 'age-is-ignored',
    about: 'The `Date` of a reply with an `Age` counts',
    file: 'src/core/service-clock.ts',
    find: "if (!/^[0\\s,]*$/.test(headers?.get('age') ?? '')) return undefined;",
    replace: '',
  },
  {
    name: 'scope-is-ignored',
    about: 'A publisher works on intents of another scope',
    file: `${publisher}/intents/intent-space.ts`,
    find: 'return scope === undefined ? unscoped :',
    replace: "return scope === undefined || scope !== '' ? unscoped :",
  },
  {
    name: 'repeated-on-node',
    about: 'On Node, a create has a body that `fetch` can send again',
    file: 'src/http/attempt.ts',
    find: "isOwn && init.method !== 'GET' ? asStream(init) : init",
    replace: "isOwn && init.method === 'GET' ? asStream(init) : init",
  },
  {
    name: 'repeated-on-deno',
    about: 'On Deno, a create uses a connection that was used before',
    file: 'src/http/attempt.ts',
    find: 'poolMaxIdlePerHost: 0 }',
    replace: 'poolMaxIdlePerHost: 1 }',
  },
  {
    name: 'repeated-on-bun',
    about: 'On Bun, a create uses a connection that was used before',
    file: 'src/http/attempt.ts',
    find: 'keepalive: false }',
    replace: 'keepalive: true }',
  },
  {
    name: 'sent-like-a-list',
    about: 'Every request is sent in a form that the runtime can repeat',
    file: 'src/http/attempt.ts',
    find: 'isOnce ? fetchOnce(url, init) : globalThis.fetch(url, init)',
    replace: "isOnce && url === '' ? fetchOnce(url, init) : globalThis.fetch(url, init)",
  },
  {
    name: 'cancel-of-a-live-send',
    about: 'A cancel ignores that another process sends the intent',
    file: `${publisher}/intents/before-send.ts`,
    find: 'if (!isUnsent(record)) return { record, refused: refusal(record) };',
    replace:
      "if (!isUnsent(record) && !(change.type === 'cancel' && record.state === 'sending')) return { record, refused: refusal(record) };",
  },
  {
    name: 'edit-after-lease',
    about: 'An intent whose lease has expired can be edited',
    file: `${publisher}/intents/before-send.ts`,
    find: 'if (!isUnsent(record)) return { record, refused: refusal(record) };',
    replace:
      "const isLapsed = record.state === 'sending' && (record.lease?.until ?? Infinity) < change.at;\n  if (!isUnsent(record) && !isLapsed) return { record, refused: refusal(record) };",
  },
  {
    name: 'edit-without-compare',
    about: 'An edit writes over whatever another process wrote since it read the intent',
    file: `${publisher}/create-publisher.ts`,
    find: 'const next = await provingNothing(() => intents.apply(read.record, change(this.#worker.now()), read));',
    replace:
      'const next = intents.step(read.record, change(this.#worker.now()));\n    const fresh = await provingNothing(() => intents.read(read.record.key));\n    if (fresh !== undefined && next.refused === undefined) await intents.put(next.record, { ...read, version: fresh.version });',
  },
  {
    name: 'edit-of-an-unproved-send',
    about: 'An intent that an operator called not sent can be cancelled and edited',
    file: `${publisher}/intents/before-send.ts`,
    find: 'return waits && overruled === undefined && resent === undefined && lookup === undefined;',
    replace: 'return waits || (overruled ?? resent ?? lookup) === waits;',
  },
  {
    name: 'edit-keeps-the-time',
    about: 'An edited intent is due when the old body was due',
    file: `${publisher}/intents/before-send.ts`,
    find: 'const due = Math.max(at, sendAtOf(edited) ?? at);',
    replace: 'const due = record.wakeAt ?? sendAtOf(edited) ?? at;',
  },
  {
    name: 'change-is-not-repeatable',
    about: 'The same cancel again is refused',
    file: `${publisher}/intents/before-send.ts`,
    find: 'if (isRepeated(record, change)) return { record };',
    replace: "if (change.type === 'edit' && isRepeated(record, change)) return { record };",
  },
  {
    name: 'send-time-is-ignored',
    about: '`resume` sends an intent before its `sendAt`',
    file: `${publisher}/intents/intent.ts`,
    find: 'if (send === false || at < (sendAtOf(record) ?? at)) return',
    replace: 'if (send === false || (!force && at < (sendAtOf(record) ?? at))) return',
  },
  {
    name: 'paused-sweep-sends',
    about: 'A sweep with `send: false` sends',
    file: `${publisher}/intents/intent.ts`,
    find: 'if (send === false || at < (sendAtOf(record) ?? at)) return',
    replace: 'if (send === null || at < (sendAtOf(record) ?? at)) return',
    also: [
      {
        file: `${publisher}/sweep.ts`,
        find: "(send === false && read.record.state === 'ready')",
        replace: '(send === null && read.record.attempts < 0)',
      },
    ],
  },
  {
    name: 'sent-too-late',
    about: 'An intent is sent more than `maxLateMs` after its time',
    file: `${publisher}/intents/intent.ts`,
    find: "return isLate(record, serviceAt, maxLateMs) ? 'expire' : 'send';",
    replace: "return isLate(record, serviceAt, maxLateMs + Infinity) ? 'expire' : 'send';",
  },
  {
    name: 'publish-sends-an-edited-body',
    about: 'A publish of the old body sends the new one, which another process wrote meanwhile',
    file: `${publisher}/intent-worker.ts`,
    find: 'if (this.space.isForeign(current.record) || !isSameContent(current.record, record))',
    replace: 'void isSameContent;\n      if (this.space.isForeign(current.record))',
    also: [
      {
        file: `${publisher}/create-publisher.ts`,
        find: 'this.#checkIsSame(record, content); // It was edited in between.',
        replace: '',
      },
    ],
  },
];
