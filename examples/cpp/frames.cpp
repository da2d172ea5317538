/*
 * Prints what addresses of a .locus file are, as `locus lookup -p` does, with liblocus in C++17:
 *
 *	c++ -std=c++17 frames.cpp -o frames $(pkg-config --cflags --libs locus)
 *	./frames app.locus 0x1149
 */
#include <cstdint>
#include <exception>
#include <iostream>
#include <locus.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/* Own copies: they stay after the next lookup and after the file. */
struct Frame {
	std::string function, path;
	uint32_t line;
};

/* An open file and one scratch: for one thread. Threads share a handle if each makes a scratch of its own. */
class SymbolFile
{
      public:
	explicit SymbolFile(const std::string &path) : path_(path)
	{
		struct locus *file;
		struct locus_scratch *scratch;

		check(locus_open(path.c_str(), nullptr, &file, &error_));
		file_.reset(file);
		check(locus_scratch_new(file, &scratch, &error_));
		scratch_.reset(scratch);
	}

	std::vector<Frame> lookup(uint64_t address)
	{
		struct locus_result result;
		std::vector<Frame> frames;

		check(locus_lookup(file_.get(), scratch_.get(), address, &result, &error_));
		for (size_t i = 0; i < result.frame_count; i++)
			frames.push_back(frame_of(result.frames[i]));
		return frames;
	}

      private:
	struct Close {
		void operator()(struct locus *file) const
		{
			locus_close(file);
		}
		void operator()(struct locus_scratch *scratch) const
		{
			locus_scratch_free(scratch);
		}
	};

	void check(enum locus_status status) const
	{
		if (status != LOCUS_OK)
			throw std::runtime_error(path_ + ": " + error_.text);
	}

	static std::string_view text(const struct locus_string &string)
	{
		return {string.data, string.size};
	}

	static Frame frame_of(const struct locus_frame &frame)
	{
		std::string_view name = text(frame.function.size ? frame.function : frame.linkage);
		std::string path{text(frame.directory)};

		if (!path.empty() && path.back() != '/')
			path += '/';
		path += text(frame.file);
		return {std::string(name), path, frame.line};
	}

	std::string path_;
	struct locus_error error_;
	std::unique_ptr<struct locus, Close> file_;
	std::unique_ptr<struct locus_scratch, Close> scratch_; /* freed before the file that it is of */
};

static uint64_t parse(const std::string &question)
{
	try {
		size_t end;
		uint64_t address = std::stoull(question, &end, 0);
		if (end == question.size() && question.find('-') == std::string::npos)
			return address;
	} catch (const std::logic_error &) {
	}
	throw std::runtime_error(question + ": not an address");
}

static void print(const std::string &question, const std::vector<Frame> &frames)
{
	std::cout << question << ": ";
	if (frames.empty())
		std::cout << "?? at ??:0\n";
	for (size_t i = 0; i < frames.size(); i++) {
		const Frame &frame = frames[i];
		std::cout << (i ? " (inlined by) " : "") << (frame.function.empty() ? "??" : frame.function) << " at "
			  << (frame.path.empty() ? "??" : frame.path) << ':' << frame.line << '\n';
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		std::cerr << "usage: frames FILE.locus ADDRESS...\n";
		return 2;
	}
	try {
		SymbolFile file(argv[1]);
		for (int i = 2; i < argc; i++)
			print(argv[i], file.lookup(parse(argv[i])));
	} catch (const std::exception &error) {
		std::cerr << error.what() << '\n';
		return 1;
	}
}
