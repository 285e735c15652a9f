<?php

// Schedules a post at an emulator, moves its clock to the publication, and looks at the deliveries. No library needed.
//
// Usage: php schedule.php http://127.0.0.1:8787

declare(strict_types=1);

$emulator = $argv[1];

function call(string $method, string $path, ?array $body = null, array $headers = []): array
{
    global $emulator;
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true];
    if ($body !== null) {
        $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
        $http['header'][] = 'Content-Type: application/json';
    }
    $reply = file_get_contents($emulator . $path, false, stream_context_create(['http' => $http]));
    return json_decode((string) $reply, true, 512, JSON_THROW_ON_ERROR);
}

function expect(bool $held, mixed $shown): void
{
    if (!$held) {
        fwrite(STDERR, json_encode($shown) . "\n");
        exit(1);
    }
}

// The time stands still, so that the program decides when something happens.
call('POST', '/_emulator/clock/pause');
$key = call('GET', '/_emulator/session')['accessKey'];
$account = call('POST', '/_emulator/seed/integration', ['platform' => 'instagram', 'username' => 'acme']);
// Nobody listens there: the attempt fails, and is recorded.
call('POST', '/_emulator/seed/subscription', [
    'webhook' => ['url' => 'http://127.0.0.1:9/'],
    'eventTypes' => ['post.published'],
]);

$post = call('POST', '/v1/posts/', [
    'content' => 'Hello from PHP',
    'scheduledFor' => '2099-01-01T10:00:00Z',
    'platforms' => [['platform' => 'instagram', 'accountId' => $account['id']]],
], ["x-access-key: $key"]);
expect(($post['status'] ?? null) === 'scheduled', $post);

$clock = call('POST', '/_emulator/clock/step');
expect($clock['now'] === '2099-01-01T10:00:00.000Z', $clock);

$deliveries = call('GET', '/_emulator/deliveries')['deliveries'];
expect(count($deliveries) === 1 && $deliveries[0]['eventType'] === 'post.published', $deliveries);

echo "{$post['postId']} was published; {$deliveries[0]['id']} told of it.\n";
