CREATE TABLE board (
	id INTEGER NOT NULL,
	"key" VARCHAR(40) NOT NULL,
	title VARCHAR(200) DEFAULT '' NOT NULL,
	description VARCHAR(20000) DEFAULT '' NOT NULL,
	rules VARCHAR(20000) DEFAULT '' NOT NULL,
	collection VARCHAR(100) DEFAULT '' NOT NULL,
	licence VARCHAR(200) DEFAULT '' NOT NULL,
	topics JSON NOT NULL,
	clusters JSON,
	documents VARCHAR(64) DEFAULT '' NOT NULL,
	metrics JSON NOT NULL,
	depth INTEGER NOT NULL,
	precision VARCHAR(10) DEFAULT '' NOT NULL,
	factors VARCHAR(1000) DEFAULT '' NOT NULL,
	publish_runs BOOLEAN DEFAULT 0 NOT NULL,
	version INTEGER DEFAULT '1' NOT NULL,
	created BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE ("key")
);
CREATE TABLE run (
	digest VARCHAR(64) NOT NULL,
	bytes BIGINT NOT NULL,
	stored BIGINT,
	PRIMARY KEY (digest)
);
CREATE TABLE token (
	digest VARCHAR(64) NOT NULL,
	label VARCHAR(60) DEFAULT '' NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	revoked BIGINT,
	PRIMARY KEY (digest)
);
CREATE TABLE event (
	id INTEGER NOT NULL,
	board INTEGER NOT NULL,
	at BIGINT NOT NULL,
	action VARCHAR(40) NOT NULL,
	detail JSON NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(board) REFERENCES board (id)
);
CREATE TABLE judgments (
	id INTEGER NOT NULL,
	board INTEGER NOT NULL,
	version INTEGER NOT NULL,
	digest VARCHAR(64) NOT NULL,
	topics JSON NOT NULL,
	added BIGINT NOT NULL,
	note VARCHAR(1000) DEFAULT '' NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (board, version),
	FOREIGN KEY(board) REFERENCES board (id)
);
CREATE TABLE submission (
	id INTEGER NOT NULL,
	"key" VARCHAR(16) NOT NULL,
	board INTEGER NOT NULL,
	team VARCHAR(60) DEFAULT '' NOT NULL,
	name VARCHAR(40) DEFAULT '' NOT NULL,
	system VARCHAR(40) DEFAULT '' NOT NULL,
	repeat VARCHAR(20) DEFAULT '' NOT NULL,
	type VARCHAR(20) DEFAULT '' NOT NULL,
	description VARCHAR(4000) DEFAULT '' NOT NULL,
	baseline VARCHAR(40) DEFAULT '' NOT NULL,
	link VARCHAR(300) DEFAULT '' NOT NULL,
	run VARCHAR(64) NOT NULL,
	received BIGINT NOT NULL,
	state VARCHAR(10) NOT NULL,
	tried INTEGER DEFAULT '0' NOT NULL,
	remarks JSON NOT NULL,
	replaces VARCHAR(16),
	PRIMARY KEY (id),
	UNIQUE ("key"),
	FOREIGN KEY(board) REFERENCES board (id),
	FOREIGN KEY(run) REFERENCES run (digest)
);
CREATE UNIQUE INDEX one_name_a_team ON submission (board, team, name) WHERE state NOT IN ('refused', 'withdrawn');
CREATE INDEX ix_submission_state ON submission (state);
CREATE TABLE score (
	submission INTEGER NOT NULL,
	judgments INTEGER NOT NULL,
	metric VARCHAR(200) NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (submission, judgments, metric),
	FOREIGN KEY(submission) REFERENCES submission (id),
	FOREIGN KEY(judgments) REFERENCES judgments (id)
);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO alembic_version VALUES ('0001');
INSERT INTO board (id, key, topics, metrics, depth, created, changed) VALUES (1, 'lab', '["1"]', '["AP"]', 10, 1, 2);
INSERT INTO judgments (id, board, version, digest, topics, added) VALUES (1, 1, 1, 'd', '["1"]', 1);
INSERT INTO run (digest, bytes, stored) VALUES ('r', 3, 1);
INSERT INTO submission (id, key, board, name, run, received, state, remarks) VALUES (1, 'aaaaaaaaaaaaaaaa', 1, 'bm25', 'r', 2, 'scored', '[]');
INSERT INTO score (submission, judgments, metric, vector) VALUES (1, 1, 'AP', x'000000000000e03f');
INSERT INTO token (digest, created, expires) VALUES ('t', 1, 2);
INSERT INTO event (id, board, at, action, detail) VALUES (1, 1, 1, 'opened', '{}');
INSERT INTO event (id, board, at, action, detail) VALUES (2, 1, 1, 'judgments', '{"version": 1, "note": ""}');
